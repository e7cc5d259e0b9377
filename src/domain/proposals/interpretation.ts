import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import {
  ProjectScope,
  type SemanticWorkflowInterpretation,
} from '@apprentice/contracts/learn/proposal.ts'
import { sentenceWithoutExamples } from '../../knowledge/interpret/align/examples.ts'
import type { LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import { draftCheckpoints, endStateOf } from './checkpoint-draft.ts'
import { type DraftSource, knownTitle, statements } from './draft-source.ts'
import { stateAfter } from '../../knowledge/text/label-rewriting.ts'
import { distinct, oneLine } from '../../knowledge/text/plain-text.ts'

export const unnamed = 'Unnamed workflow'

/** What a demonstration means, apart from how it was done. Nothing here names a place on a screen. */
export function interpret(
  source: DraftSource,
  workflow?: LearnedWorkflow,
): SemanticWorkflowInterpretation {
  const { answers, shown } = source
  const plain = (text: string): string => sentenceWithoutExamples(text, workflow?.inputs ?? [])
  const title = plain(knownTitle(source) ?? unnamed)
  const endState = endStateOf(source, workflow)
  return {
    interpretation_id: source.interpretation_id,
    learn_session_id: source.session.learn_session_id,
    proposal_id: source.proposal_id,
    title,
    goal_summary: plain(oneLine(shown.goal ?? answers.goal_summary ?? title, 600)),
    use_conditions: useConditions(source, title),
    non_use_conditions: distinct(statements(answers.non_use_conditions, 240)),
    success_conditions: successConditions(source, endState, workflow).map(plain),
    project_scope: projectScope(source),
    preferred_control_surfaces: surfaces(source),
    checkpoints: draftCheckpoints(source, endState, workflow),
    user_confirmed: answers.goal_summary !== undefined,
    created_at: source.created_at,
    schema_version: 1,
  }
}

function useConditions({ answers }: DraftSource, title: string): string[] {
  const said = distinct(statements(answers.use_conditions, 240))
  return said.length > 0 ? said : [oneLine(`The user asks for this: ${title}`, 240)]
}

function successConditions(
  { answers, shown }: DraftSource,
  endState: string | undefined,
  workflow: LearnedWorkflow | undefined,
): string[] {
  const verified = shown.marks
    .filter(({ kind }) => kind === 'verification')
    .map(({ label }) => stateAfter(label, 240) ?? '')
  const proved = workflow?.verification.map(({ words }) => oneLine(words, 240)) ?? []
  const said = statements(answers.success_condition, 240)
  return distinct([...verified, endState ?? '', ...proved, ...said])
}

function projectScope({ answers, session }: DraftSource) {
  const said = ProjectScope.safeParse(answers.project_scope)
  if (said.success) return said.data
  if (session.project_id === undefined) return 'global'
  // Found in past runs: each of them was for this project.
  return session.reviewer_user_id === undefined ? 'unclear' : 'project_scoped'
}

/** The sturdiest way first: a tool of the agent's own before a script, a script before the screen. */
const surfaceOrder: readonly string[] = ControlSurface.options

function surfaces({ answers, shown }: DraftSource): string[] {
  const seen = distinct(shown.steps.map((step) => step.control_surface ?? ''))
  const preferred = oneLine(answers.preferred_surface ?? '', 80)
  const ranked = seen
    .filter((surface) => surfaceOrder.includes(surface))
    .toSorted((a, b) => surfaceOrder.indexOf(a) - surfaceOrder.indexOf(b))
  return distinct([preferred, ...ranked])
}
