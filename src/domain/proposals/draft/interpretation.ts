import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import { ProjectScope, type SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import { removeExamplesFromSentence } from '../../../knowledge/interpret/align/examples.ts'
import type { LearnedWorkflow } from '../../../knowledge/interpret/draft/workflow.ts'
import { draftCheckpoints, findEndState } from './checkpoint-draft.ts'
import { type DraftSource, chooseTitle, splitStatements } from './draft-source.ts'
import { describeStateAfter } from '../../../knowledge/text/label-rewriting.ts'
import { distinct, toOneLine } from '../../../knowledge/text/plain-text.ts'

export const UNNAMED_TITLE = 'Unnamed workflow'

/** Describes the goal, conditions and checkpoints of a demonstration. Contains no positions on a screen. */
export function buildInterpretation(source: DraftSource, workflow?: LearnedWorkflow): SemanticWorkflowInterpretation {
  const { answers, demonstration } = source
  const plain = (text: string): string => removeExamplesFromSentence(text, workflow?.inputs ?? [])
  const title = plain(chooseTitle(source) ?? UNNAMED_TITLE)
  const endState = findEndState(source, workflow)
  return {
    interpretation_id: source.interpretation_id,
    learn_session_id: source.session.learn_session_id,
    proposal_id: source.proposal_id,
    title,
    goal_summary: plain(toOneLine(demonstration.goal ?? answers.goal_summary ?? title, 600)),
    use_conditions: listUseConditions(source, title),
    non_use_conditions: distinct(splitStatements(answers.non_use_conditions, 240)),
    success_conditions: listSuccessConditions(source, endState, workflow).map(plain),
    project_scope: chooseProjectScope(source),
    preferred_control_surfaces: rankSurfaces(source),
    checkpoints: draftCheckpoints(source, endState, workflow),
    user_confirmed: answers.goal_summary !== undefined,
    created_at: source.created_at,
    schema_version: 1,
  }
}

function listUseConditions({ answers }: DraftSource, title: string): string[] {
  const answered = distinct(splitStatements(answers.use_conditions, 240))
  return answered.length > 0 ? answered : [toOneLine(`The user asks for this: ${title}`, 240)]
}

function listSuccessConditions(
  { answers, demonstration }: DraftSource,
  endState: string | undefined,
  workflow: LearnedWorkflow | undefined,
): string[] {
  const verified = demonstration.marks
    .filter(({ kind }) => kind === 'verification')
    .map(({ label }) => describeStateAfter(label, 240) ?? '')
  const proved = workflow?.verification.map(({ text }) => toOneLine(text, 240)) ?? []
  const answered = splitStatements(answers.success_condition, 240)
  return distinct([...verified, endState ?? '', ...proved, ...answered])
}

function chooseProjectScope({ answers, session }: DraftSource) {
  const answer = ProjectScope.safeParse(answers.project_scope)
  if (answer.success) return answer.data
  if (session.project_id === undefined) return 'global'
  // A reviewer is set for mined workflows: all their executions belong to this project.
  return session.reviewer_user_id === undefined ? 'unclear' : 'project_scoped'
}

/** The most reliable surface first. */
const SURFACE_ORDER: readonly string[] = ControlSurface.options

function rankSurfaces({ answers, demonstration }: DraftSource): string[] {
  const seen = distinct(demonstration.steps.map((step) => step.control_surface ?? ''))
  const preferred = toOneLine(answers.preferred_surface ?? '', 80)
  const ranked = seen
    .filter((surface) => SURFACE_ORDER.includes(surface))
    .toSorted((a, b) => SURFACE_ORDER.indexOf(a) - SURFACE_ORDER.indexOf(b))
  return distinct([preferred, ...ranked])
}
