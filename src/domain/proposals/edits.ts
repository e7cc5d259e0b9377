import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { EditedFields } from '@apprentice/contracts/learn/proposal-review.ts'
import { Failure } from '../../failure/failure.ts'
import { clip, distinct } from '../../knowledge/text/plain-text.ts'

/** An input as a reviewer calls it. */
export interface EditedInput {
  readonly name: string
  readonly summary?: string | undefined
}

/** All that was ever changed by hand: the draft is made with it, however often it is made. */
export interface ProposalEdits extends Omit<EditedFields, 'inputs' | 'recipe'> {
  /** By the name the demonstration gave the input. */
  readonly inputs?: Readonly<Record<string, EditedInput>> | undefined
}

/** What was changed before, and now: of one field the last word counts. */
export function mergeEdits(before: ProposalEdits, sent: EditedFields): ProposalEdits {
  const { inputs, recipe: _, ...fields } = sent
  return {
    ...before,
    ...fields,
    ...(inputs === undefined ? {} : { inputs: mergeInputs(before.inputs ?? {}, inputs) }),
  }
}

type SentInputs = NonNullable<EditedFields['inputs']>

/** A reviewer names an input as it is called now, which may itself be a name given earlier. */
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

/** The names a draft may be given are those it has, each once. */
export function assertInputNames(known: readonly string[], sent: EditedFields['inputs']): void {
  if (sent === undefined) return
  const unknown = sent.find(({ name }) => !known.includes(name))
  if (unknown !== undefined) throw refuse(`names no input of this draft: ${unknown.name}`)
  const renamed = new Map(sent.map(({ name, rename_to = name }) => [name, rename_to]))
  const names = known.map((name) => renamed.get(name) ?? name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`would call two inputs ${twice}`)
}

const refuse = (why: string): Failure =>
  new Failure('INVALID_REQUEST', `edited_fields.inputs ${why}.`, {
    details: { field: 'edited_fields.inputs' },
  })

const meaningFields = [
  'title',
  'goal_summary',
  'use_conditions',
  'non_use_conditions',
  'project_scope',
  'preferred_control_surfaces',
  'success_conditions',
  'checkpoints',
] as const satisfies readonly (keyof EditedFields & keyof SemanticWorkflowInterpretation)[]

export function editMeaning(
  meaning: SemanticWorkflowInterpretation,
  edits: ProposalEdits = {},
): SemanticWorkflowInterpretation {
  return {
    ...meaning,
    ...pick(edits, meaningFields),
    user_confirmed: meaning.user_confirmed || edits.goal_summary !== undefined,
  }
}

interface Words {
  readonly proposed_skill_slug: string
  readonly trigger_phrases: string[]
  readonly negative_triggers: string[]
  readonly support_pack_refs: string[]
}

/** What a skill is found by. Cases it is not for keep it from being found, unless that is said outright. */
export function editWords<W extends Words>(words: W, edits: ProposalEdits = {}): W {
  const refused = edits.non_use_conditions?.map((text) => clip(text, 120))
  return {
    ...words,
    ...(refused === undefined ? {} : { negative_triggers: distinct(refused) }),
    ...pick(edits, [
      'proposed_skill_slug',
      'trigger_phrases',
      'negative_triggers',
      'support_pack_refs',
    ]),
  }
}

type Given<O, K extends keyof O> = { [Key in K]?: NonNullable<O[Key]> }

function pick<O extends object, K extends keyof O>(from: O, keys: readonly K[]): Given<O, K> {
  const entries = keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])
  return Object.fromEntries(entries) as Given<O, K>
}
