import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { EditedFields } from '@apprentice/contracts/learn/proposal-review.ts'
import { Failure } from '../../../failure/failure.ts'
import { clip, distinct } from '../../../knowledge/text/plain-text.ts'

/** The name and summary a reviewer gave an input. */
export interface EditedInput {
  readonly name: string
  readonly summary?: string | undefined
}

/** All edits of reviewers so far. They are applied each time the draft is compiled. */
export interface ProposalEdits extends Omit<EditedFields, 'inputs' | 'recipe'> {
  /** By the original name of the input. */
  readonly inputs?: Readonly<Record<string, EditedInput>> | undefined
}

/** Merges new edits into the earlier ones. The last edit of a field wins. */
export function mergeEdits(before: ProposalEdits, sent: EditedFields): ProposalEdits {
  const { inputs, recipe: _, ...fields } = sent
  return {
    ...before,
    ...fields,
    ...(inputs === undefined ? {} : { inputs: mergeInputs(before.inputs ?? {}, inputs) }),
  }
}

type SentInputs = NonNullable<EditedFields['inputs']>

/** Reviewers refer to an input by its current name, which may come from an earlier edit. */
function mergeInputs(
  before: NonNullable<ProposalEdits['inputs']>,
  sent: SentInputs,
): NonNullable<ProposalEdits['inputs']> {
  const merged: Record<string, EditedInput> = { ...before }
  for (const { name, rename_to, summary } of sent) {
    const original = Object.keys(before).find((key) => before[key]?.name === name) ?? name
    const known = before[original]
    merged[original] = {
      name: rename_to ?? name,
      summary: summary ?? known?.summary,
    }
  }
  return merged
}

/** Throws if an edit refers to an unknown input or gives two inputs the same name. */
export function assertInputNames(known: readonly string[], sent: EditedFields['inputs']): void {
  if (sent === undefined) return
  const unknown = sent.find(({ name }) => !known.includes(name))
  if (unknown !== undefined) throw invalidInputs(`contains an unknown input: ${unknown.name}`)
  const renamed = new Map(sent.map(({ name, rename_to = name }) => [name, rename_to]))
  const names = known.map((name) => renamed.get(name) ?? name)
  const duplicate = names.find((name, at) => names.indexOf(name) !== at)
  if (duplicate !== undefined) throw invalidInputs(`would name two inputs ${duplicate}`)
}

const invalidInputs = (problem: string): Failure =>
  new Failure('INVALID_REQUEST', `edited_fields.inputs ${problem}.`, {
    details: { field: 'edited_fields.inputs' },
  })

const INTERPRETATION_FIELDS = [
  'title',
  'goal_summary',
  'use_conditions',
  'non_use_conditions',
  'project_scope',
  'preferred_control_surfaces',
  'success_conditions',
  'checkpoints',
] as const satisfies readonly (keyof EditedFields & keyof SemanticWorkflowInterpretation)[]

export function editInterpretation(
  interpretation: SemanticWorkflowInterpretation,
  edits: ProposalEdits = {},
): SemanticWorkflowInterpretation {
  return {
    ...interpretation,
    ...pickDefined(edits, INTERPRETATION_FIELDS),
    user_confirmed: interpretation.user_confirmed || edits.goal_summary !== undefined,
  }
}

interface SearchFields {
  readonly proposed_skill_slug: string
  readonly trigger_phrases: string[]
  readonly negative_triggers: string[]
  readonly support_pack_refs: string[]
}

/** Applies edits to the search fields. Edited non-use conditions become negative triggers unless those were edited. */
export function editSearchFields<W extends SearchFields>(fields: W, edits: ProposalEdits = {}): W {
  const excluded = edits.non_use_conditions?.map((text) => clip(text, 120))
  return {
    ...fields,
    ...(excluded === undefined ? {} : { negative_triggers: distinct(excluded) }),
    ...pickDefined(edits, ['proposed_skill_slug', 'trigger_phrases', 'negative_triggers', 'support_pack_refs']),
  }
}

type Given<O, K extends keyof O> = { [Key in K]?: NonNullable<O[Key]> }

function pickDefined<O extends object, K extends keyof O>(from: O, keys: readonly K[]): Given<O, K> {
  const entries = keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])
  return Object.fromEntries(entries) as Given<O, K>
}
