import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Reader } from '../../store/db/db.ts'
import { type DraftFile, listDraftFiles } from '../../store/proposals/draft-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findExamples } from '../../store/proposals/proposal-examples.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findTestPolicy } from '../../store/proposals/test-policies.ts'
import { findProposalSession } from '../proposals/moves.ts'
import { parseRecipe } from '../../knowledge/recipes/check/parse-recipe.ts'
import { type Compiled, compileRecipe } from '../../knowledge/recipes/compile/compile.ts'

/** A draft with everything its tests read. */
export interface DraftUnderTest {
  readonly proposal: StoredProposal
  readonly session: StoredSession | undefined
  readonly meaning: SemanticWorkflowInterpretation | undefined
  readonly files: readonly DraftFile[]
  /** Undefined if the skill is only a document. */
  readonly recipe: RecipeUnderTest | undefined
  readonly policy: TestPolicy
  /** A policy was set. Otherwise the draft may only be planned. */
  readonly policy_given: boolean
}

export type RecipeUnderTest =
  | {
      readonly recipe: Recipe
      readonly compiled: Compiled
      /** The text values it is compiled with, by input name. */
      readonly texts: ReadonlyMap<string, string>
    }
  | { readonly violations: readonly { readonly code: string; readonly message: string }[] }

/** Values for the inputs of a recipe, instead of the demonstrated ones. */
export type GivenInputs = Readonly<Record<string, unknown>>

export function readDraft(reader: Reader, proposal: StoredProposal, given: GivenInputs = {}): DraftUnderTest {
  const session = findProposalSession(reader, proposal)
  const { interpretation_id, proposal_id } = proposal
  const files = listDraftFiles(reader, proposal_id)
  const policy = findPolicy(reader, session)
  return {
    proposal,
    session,
    meaning: interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id),
    files,
    recipe: readRecipeFile(files, { ...findExamples(reader, proposal_id), ...given }),
    policy: policy ?? PLAN_ONLY_POLICY,
    policy_given: policy !== undefined,
  }
}

function findPolicy(reader: Reader, session: StoredSession | undefined): TestPolicy | undefined {
  const id = session?.test_policy_ref?.replace(/^test_policy:/, '')
  return id === undefined ? undefined : findTestPolicy(reader, id)?.policy
}

const PLAN_ONLY_POLICY: TestPolicy = {
  policy_id: '00000000-0000-4000-8000-000000000000',
  mode: 'dry_run_only',
  safe_targets: [],
  forbid_destructive_writes: true,
  forbid_external_send: true,
  allowed_domains: [],
  max_actions: 40,
  cleanup_required: false,
  schema_version: 1,
}

function readRecipeFile(files: readonly DraftFile[], values: GivenInputs): RecipeUnderTest | undefined {
  const content = files.find(({ name }) => name === 'recipe.json')?.content
  if (content === undefined) return undefined
  const parsed = parseRecipe(content, 'json')
  if (!('recipe' in parsed)) return parsed
  const { recipe } = parsed
  const declared = new Set(recipe.inputs.map(({ name }) => name))
  const known = Object.entries(values).filter(([name]) => declared.has(name))
  return {
    recipe,
    compiled: compileRecipe(recipe, Object.fromEntries(known)),
    texts: collectTexts(recipe, known),
  }
}

function collectTexts({ inputs }: Recipe, known: readonly [string, unknown][]): Map<string, string> {
  const texts = new Set(inputs.filter(({ type }) => type === 'string').map(({ name }) => name))
  return new Map(
    known.flatMap(([name, value]) =>
      texts.has(name) && typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
    ),
  )
}
