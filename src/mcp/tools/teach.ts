import { z } from 'zod'
import { Uuid } from '@apprentice/contracts/base/fields.ts'
import { Serial } from '@apprentice/contracts/devices/device.ts'
import { getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import {
  answerQuestions,
  cancelSession,
  createSession,
  generateProposal,
  markGoal,
  markStep,
  startCapture,
  stopCapture,
} from '@apprentice/contracts/learn/sessions.ts'
import { defineTool, type Tool, type ToolContext, WRITES_RECORDS } from '../tool/tool.ts'
import { chooseSerial } from './phone-actions.ts'

const session_id = Uuid.describe('From the reply to start')

const TeachStep = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('start'),
    goal: z.string().min(1).max(400).describe('What the workflow is for, in plain words'),
    serial: Serial.optional(),
    keep_typed_text: z.boolean().default(false).describe('The person agrees that typed text is stored'),
  }),
  z.object({ do: z.literal('mark'), session_id, label: z.string().min(1).max(240) }),
  z.object({ do: z.literal('stop'), session_id }),
  z.object({ do: z.literal('draft'), session_id }),
  z.object({
    do: z.literal('answer'),
    session_id,
    question_id: z.string().max(80),
    answer: z.string().min(1).max(2000).optional(),
    choice_id: z.string().max(80).optional().describe('Instead of answer: one of the choices of the question'),
  }),
  z.object({ do: z.literal('cancel'), session_id }),
])

const teach = defineTool({
  name: 'teach',
  title: 'Teach an ability',
  description:
    'Assists a person who teaches a workflow: start, then the person (or do_actions) demonstrates, then stop and draft; answer the questions. The person reviews and installs the draft.',
  input: z.object({ step: TeachStep }),
  output: z.object({
    session_id: z.string(),
    state: z.string(),
    proposal_id: z.string().optional(),
    questions: z.array(
      z.object({
        question_id: z.string(),
        question: z.string(),
        choices: z.array(z.object({ choice_id: z.string(), label: z.string() })),
      }),
    ),
    next: z.array(z.string()).describe('What is possible now'),
  }),
  annotations: WRITES_RECORDS,
  run: async ({ step }, context) => {
    const sessionId = await perform(step, context)
    const { session, questions, proposal, allowed_actions } = await context.call(getSessionDetail, {
      params: { sessionId },
    })
    const open = questions.filter(({ answered }) => !answered)
    return {
      structured: {
        session_id: sessionId,
        state: session.state,
        ...(proposal === undefined ? {} : { proposal_id: proposal.proposal_id }),
        questions: open.map(({ question_id, question_text, choices = [] }) => ({
          question_id,
          question: question_text,
          choices: choices.map(({ choice_id, label }) => ({ choice_id, label })),
        })),
        next: allowed_actions,
      },
    }
  },
})

/** Does one step and returns the id of its session. */
async function perform(step: z.output<typeof TeachStep>, context: ToolContext): Promise<string> {
  const { call } = context
  if (step.do === 'start') return await start(step, context)
  const params = { sessionId: step.session_id }
  switch (step.do) {
    case 'mark':
      await call(markStep, { params, body: { step_label: step.label } })
      break
    case 'stop':
      await call(stopCapture, { params, body: {} })
      break
    case 'draft':
      await call(generateProposal, { params, body: {} })
      break
    case 'answer': {
      const { question_id, answer: answer_text, choice_id } = step
      await call(answerQuestions, { params, body: { answers: [{ question_id, answer_text, choice_id }] } })
      break
    }
    case 'cancel':
      await call(cancelSession, { params, body: { reason: 'cancelled by the agent' } })
  }
  return step.session_id
}

async function start(
  { goal, serial: wanted, keep_typed_text }: Extract<z.output<typeof TeachStep>, { do: 'start' }>,
  context: ToolContext,
): Promise<string> {
  const { call } = context
  const device_serial = await chooseSerial(context, wanted)
  const { session } = await call(createSession, {
    body: { entry_mode: 'demonstrating_skill', observation_mode: 'outside_agent', device_serial },
  })
  const params = { sessionId: session.learn_session_id }
  await call(startCapture, { params, body: { text_capture_consent: keep_typed_text } })
  await call(markGoal, { params, body: { goal_description: goal } })
  return session.learn_session_id
}

export const teachTools: readonly Tool[] = [teach]
