import type { ImprovementChange } from '@apprentice/contracts/learn/proposal-review.ts'
import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import { canonicalJson } from '../../knowledge/canonical-json/canonical-json.ts'
import { compareRecipes, formatChange, type RecipeChange } from '../../knowledge/interpret/draft/recipe-diff.ts'
import { parseRecipe } from '../../knowledge/recipes/check/parse-recipe.ts'
import type { AbilityVersionRow } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import type { DraftFile } from '../../store/proposals/draft-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import { findProposal, type StoredProposal } from '../../store/proposals/proposals.ts'

interface Improvement {
  readonly installed: AbilityVersionRow
  readonly proposal: StoredProposal
  readonly files: readonly DraftFile[]
}

/** Compares a draft with the installed version: words, inputs, steps and checks. */
export function listImprovementChanges(reader: Reader, improvement: Improvement): ImprovementChange[] {
  const words = compareWords(reader, improvement).map((change) => ({ ...change, text: formatWordChange(change) }))
  const parts = compareParts(improvement).map((change) => ({ ...change, text: formatChange(change) }))
  return [...words, ...parts]
}

function compareParts({ installed: { recipe }, files }: Improvement): RecipeChange[] {
  const content = files.find(({ name }) => name === 'recipe.json')?.content
  const next = content === undefined ? undefined : parseRecipe(content, 'json')
  return recipe === undefined || next === undefined || !('recipe' in next) ? [] : compareRecipes(recipe, next.recipe)
}

const WORD_NAMES = {
  title: 'The title',
  trigger_phrases: 'The trigger phrases',
  negative_triggers: 'The phrases that exclude it',
  goal_summary: 'The goal',
  use_conditions: 'When to use it',
  non_use_conditions: 'When not to use it',
  success_conditions: 'The success conditions',
} as const
type WordField = keyof typeof WORD_NAMES

function compareWords(reader: Reader, { installed, proposal }: Improvement): RecipeChange[] {
  const before = readWords(installed.described, findMeaning(reader, installed.proposal_id))
  const now = readWords(proposal, findMeaning(reader, proposal.proposal_id))
  return [...before].flatMap(([field, was]): RecipeChange[] => {
    const is = now.get(field)
    if (is === undefined) return []
    return [{ path: `words.${field}`, change: canonicalJson(was) === canonicalJson(is) ? 'kept' : 'changed' }]
  })
}

type SearchWords = Pick<StoredProposal, 'title'> &
  Readonly<Record<'trigger_phrases' | 'negative_triggers', readonly string[]>>

function readWords(
  { title, trigger_phrases, negative_triggers }: SearchWords,
  meaning: SemanticWorkflowInterpretation | undefined,
): Map<WordField, unknown> {
  const words = new Map<WordField, unknown>([
    ['title', title],
    ['trigger_phrases', trigger_phrases],
    ['negative_triggers', negative_triggers],
  ])
  if (meaning === undefined) return words
  for (const field of ['goal_summary', 'use_conditions', 'non_use_conditions', 'success_conditions'] as const) {
    words.set(field, meaning[field])
  }
  return words
}

function findMeaning(reader: Reader, proposalId: string | undefined): SemanticWorkflowInterpretation | undefined {
  const id = proposalId === undefined ? undefined : findProposal(reader, proposalId)?.interpretation_id
  return id === undefined ? undefined : findInterpretation(reader, id)
}

function formatWordChange({ path, change }: RecipeChange): string {
  const field = path.slice('words.'.length)
  const name = Object.entries(WORD_NAMES).find(([key]) => key === field)?.[1] ?? field
  return change === 'kept' ? `${name}: as before` : `${name}: changed`
}
