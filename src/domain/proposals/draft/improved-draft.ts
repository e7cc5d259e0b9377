import type { ProposalRepair } from '@apprentice/contracts/learn/proposal-review.ts'
import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnedWorkflow } from '../../../knowledge/interpret/draft/workflow.ts'
import {
  type ImprovedWorkflow,
  improveWorkflow,
  restoreWorkflow,
} from '../../../knowledge/interpret/improve/improve-workflow.ts'
import type { GivenNames } from '../../../knowledge/interpret/read/inputs.ts'
import { distinct } from '../../../knowledge/text/plain-text.ts'
import { type DraftSource, splitStatements } from './draft-source.ts'

/** Joins what was demonstrated with the installed workflow. Undefined if the session improves nothing that runs. */
export function improveDraft(source: DraftSource, shown: LearnedWorkflow | undefined): ImprovedWorkflow | undefined {
  const { installed, edits, repair } = source
  if (installed?.workflow === undefined) return undefined
  if (repair !== undefined) return restoreWorkflow(installed.workflow, repair.recipe, edits?.inputs)
  if (shown?.recipe === undefined) return undefined
  const pointed = isPointed(source) ? 'now' : installed.is_pointed ? 'before' : undefined
  return improveWorkflow(installed.workflow, { ...shown, recipe: shown.recipe }, { pointed, names: edits?.inputs })
}

/** The person pointed in this session at what shows the outcome. */
const isPointed = ({ element_marks = [], shown }: DraftSource): boolean =>
  element_marks.some(({ kind }) => kind === 'proof') || (shown?.elements ?? []).length > 0

/** What the next improvement must know besides the recipe. */
export function describeForImproving(source: DraftSource): {
  given_names?: GivenNames
  pointed_proof?: true
  repair?: ProposalRepair
} {
  const { installed, edits, repair } = source
  const names = composeNames(installed?.given_names ?? {}, edits?.inputs ?? {})
  return {
    ...(Object.keys(names).length > 0 && { given_names: names }),
    ...((isPointed(source) || installed?.is_pointed === true) && { pointed_proof: true }),
    ...(repair !== undefined && {
      repair: { run_id: repair.run_id, step_ids: [...repair.step_ids], verified: repair.verified },
    }),
  }
}

/** Names that were given to names that were given before. */
function composeNames(before: GivenNames, edits: GivenNames): GivenNames {
  const current = new Set(Object.values(before).map(({ name }) => name))
  const composed = Object.entries(before).map(([from, given]) => [from, { ...given, ...edits[given.name] }] as const)
  const others = Object.entries(edits).filter(([name]) => !current.has(name))
  return Object.fromEntries([...others, ...composed])
}

type SearchWords = Readonly<Record<'trigger_phrases' | 'negative_triggers' | 'support_pack_refs', string[]>>

/** The search words of the installed version, unless the person answered otherwise. */
export function keepSearchWords<W extends SearchWords>(drafted: W, { installed, answers }: DraftSource): W {
  if (installed === undefined) return drafted
  const keep = (was: readonly string[], is: string[], answer?: string): string[] =>
    answer === undefined && was.length > 0 ? [...was] : is
  return {
    ...drafted,
    trigger_phrases: keep(installed.trigger_phrases, drafted.trigger_phrases),
    negative_triggers: keep(installed.negative_triggers, drafted.negative_triggers, answers.non_use_conditions),
    support_pack_refs: keep(installed.support_pack_refs, drafted.support_pack_refs, answers.package_assignment),
  }
}

/** The words of the installed version, unless the person answered otherwise. The goal of a part is not that of all. */
export function keepWords(
  drafted: SemanticWorkflowInterpretation,
  { installed, answers }: DraftSource,
  improved: ImprovedWorkflow | undefined,
): SemanticWorkflowInterpretation {
  if (installed === undefined) return drafted
  const title = answers.name === undefined ? installed.title : drafted.title
  const was = installed.meaning
  if (was === undefined) return { ...drafted, title }
  const checksStay = improved?.checks === 'installed'
  const answered = splitStatements(answers.success_condition, 240)
  return {
    ...drafted,
    title,
    ...(answers.goal_summary === undefined && { goal_summary: was.goal_summary, user_confirmed: was.user_confirmed }),
    ...(answers.use_conditions === undefined && { use_conditions: was.use_conditions }),
    ...(answers.non_use_conditions === undefined && { non_use_conditions: was.non_use_conditions }),
    ...(answers.project_scope === undefined && { project_scope: was.project_scope }),
    ...(answers.preferred_surface === undefined && { preferred_control_surfaces: was.preferred_control_surfaces }),
    ...(checksStay && { success_conditions: distinct([...was.success_conditions, ...answered]) }),
  }
}
