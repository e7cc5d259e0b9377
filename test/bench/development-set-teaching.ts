import { z } from 'zod'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { AskedQuestion, QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Lesson, OutputValue } from '../apps/lesson-format.ts'
import { findCenter } from '../apps/perform-step.ts'
import type { AppDaemon } from './development-set-daemon.ts'
import { type AppIdentity, type Channel, performDemonstration } from './development-set-demonstration.ts'
import { choosePointed, locateProof } from './development-set-pointing.ts'
import type { SkillInputs } from './development-set-inputs.ts'
import { nameOutput } from './development-set-outputs.ts'

const MAX_QUESTION_ROUNDS = 5

export interface LearnedSkill extends SkillInputs {
  readonly abilityId: string
  readonly applicationId: string | undefined
}

export type TeachingResult =
  /** `asked`: the person pointed at what shows the outcome. */
  | { readonly skill: LearnedSkill; readonly asked: boolean }
  /** Why no ability was installed. */
  | { readonly failure: string }

/** Demonstrates a lesson in a learn session and installs what was learned. */
export async function teachLesson(
  daemon: AppDaemon,
  app: AppIdentity,
  { lesson, channel }: { readonly lesson: Lesson; readonly channel: Channel },
): Promise<TeachingResult> {
  const { session } = await daemon.post<Pick<LearnSessionDetail, 'session'>>('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: daemon.phone.serial,
  })
  const { learn_session_id: sessionId } = session
  const url = `/api/learn/sessions/${sessionId}`
  try {
    await daemon.post(`${url}/start`, { text_capture_consent: true })
    await daemon.post(`${url}/mark-goal`, { goal_description: lesson.goal })
    await performDemonstration(daemon, app, lesson, { sessionId, channel })
    await markOutputs(daemon, url, lesson)
    await daemon.post(`${url}/stop`)
    return await installSkill(daemon, url, lesson)
  } catch (error) {
    await endSession(daemon, url)
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Points at the values that the lesson returns, as a person does who wants to get them back. */
async function markOutputs(daemon: AppDaemon, sessionUrl: string, { outputs }: Lesson): Promise<void> {
  for (const output of outputs) {
    const [x, y] = findCenter(daemon.phone, output.element)
    await daemon.post(`${sessionUrl}/marks`, {
      kind: 'output',
      name: nameOutput(output),
      value_type: chooseValueType(output.demonstrated),
      element: { screen: 'now', point: { x, y } },
    })
  }
}

function chooseValueType(value: OutputValue): 'text' | 'number' | 'list' {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'number' ? 'number' : 'text'
}

/** Ends a session, because only one may be active. A tested draft is rejected, otherwise the session is cancelled. */
async function endSession(daemon: AppDaemon, url: string): Promise<void> {
  const { proposal } = await daemon.get<LearnSessionDetail>(`${url}/detail`)
  if (proposal?.proposal_state === 'ready_for_review') {
    const reason = 'it is not usable'
    await daemon.post(`/api/learn/proposals/${proposal.proposal_id}/reject`, { reason })
  } else await daemon.post(`${url}/cancel`)
}

async function installSkill(
  daemon: AppDaemon,
  sessionUrl: string,
  lesson: Lesson,
): Promise<Extract<TeachingResult, { skill: LearnedSkill }>> {
  const { proposal_id } = await daemon.post<{ proposal_id: string }>(`${sessionUrl}/generate-proposal`)
  const asked = await answerQuestions(daemon, sessionUrl, lesson)
  const url = `/api/learn/proposals/${proposal_id}`
  await daemon.post(`${url}/validate`, { wait_ms: 60_000 })
  const { recipe, review, examples, allowed_actions, latest_validation } = await daemon.get<ProposalDetail>(
    `${url}/detail`,
  )
  if (!allowed_actions.includes('install')) {
    const failed = latest_validation?.steps.filter(({ result }) => result === 'failed') ?? []
    const details = failed.map(({ label, details: reason }) => `${label}: ${reason ?? 'failed'}`)
    throw new Error(`the tests of the draft failed: ${details.join('; ')}`)
  }
  if (recipe === undefined) throw new Error(`the draft has no recipe: ${formatDoubts(review)}`)
  const { ability_id } = await daemon.post<{ ability_id: string }>(`${url}/install`)
  const skill = {
    abilityId: ability_id,
    applicationId: z.string().optional().catch(undefined).parse(recipe['application_id']),
    inputs: z.array(RecipeInput).parse(recipe['inputs'] ?? []),
    examples,
  }
  return { skill, asked }
}

const Doubts = z.array(z.object({ reason: z.string() })).catch([])

const formatDoubts = (review: ProposalDetail['review']): string =>
  Doubts.parse(review?.['doubts'])
    .map(({ reason }) => reason)
    .join('; ')

/**
 * Answers as a cooperative person who knows the goal, and points at the element that the lesson names as its proof.
 * Returns whether the outcome was asked about.
 */
async function answerQuestions(daemon: AppDaemon, sessionUrl: string, lesson: Lesson): Promise<boolean> {
  let asked = false
  for (let round = 0; round < MAX_QUESTION_ROUNDS; round += 1) {
    const { session, questions } = await daemon.get<LearnSessionDetail>(`${sessionUrl}/detail`)
    const open = questions.filter(({ answered }) => !answered)
    if (session.state === 'awaiting_questions' && open.length > 0) {
      const place = locateProof(daemon.phone, lesson)
      const answers = open.map(({ question_id, ...question }) => {
        const chosen = choosePointed(question.choices ?? [], place)
        if (chosen === undefined) return { question_id, answer_text: findAnswer(question, lesson) }
        asked = true
        return { question_id, choice_id: chosen.choice_id }
      })
      await daemon.post(`${sessionUrl}/answer-questions`, { answers })
    } else if (session.state === 'awaiting_questions') {
      await daemon.post(`${sessionUrl}/generate-proposal`)
    } else return asked
  }
  throw new Error('the questions did not end')
}

function findAnswer(
  { field, question_text }: Pick<AskedQuestion, 'field' | 'question_text'>,
  { goal }: Lesson,
): string {
  if (field === 'success_condition') throw new Error(`asked: ${question_text}`)
  const answers: Readonly<Record<Exclude<QuestionField, 'success_condition'>, string>> = {
    name: goal,
    goal_summary: goal,
    use_conditions: `When asked to: ${goal}`,
    non_use_conditions: 'When something else is asked for',
    project_scope: 'global',
    preferred_surface: 'The app on the phone',
    package_assignment: 'none',
    approval_mode: 'not_needed',
  }
  return answers[field]
}
