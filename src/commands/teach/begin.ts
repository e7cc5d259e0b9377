import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { type Device, listDevices } from '@apprentice/contracts/devices/device.ts'
import { getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import { cancelSession, createSession } from '@apprentice/contracts/learn/sessions.ts'
import type { Conversation } from '../terminal/conversation.ts'
import { UsageProblem } from '../terminal/usage-problem.ts'
import { abortable, Lesson, type TeachOptions } from './lesson.ts'

interface Room {
  readonly options: TeachOptions
  readonly talk: Conversation
  readonly call: Call
}

/** A session on a phone: a new one, or the one that is still open; undefined when that is to be left alone. */
export async function begin(room: Room): Promise<Lesson | undefined> {
  const call = abortable(room.call, room.talk.signal)
  const serial = await pickDevice({ ...room, call })
  for (;;) {
    try {
      const { session } = await call(createSession, { body: sessionBody(room.options, serial) })
      return new Lesson(room, { serial, sessionId: session.learn_session_id })
    } catch (error) {
      const sessionId = openSession(error)
      if (sessionId === undefined) throw error
      const open = await call(getSessionDetail, { params: { sessionId } })
      const answer = await whatAbout(room.talk, open.session)
      if (answer === 'leave') return undefined
      if (answer === 'continue') {
        const place = { serial: open.session.device_serial ?? serial, sessionId }
        return new Lesson(room, place)
      }
      await call(cancelSession, { params: { sessionId }, body: { reason: 'another one begins' } })
    }
  }
}

const sessionBody = ({ ask }: TeachOptions, device_serial: string) => ({
  entry_mode: 'demonstrating_skill' as const,
  observation_mode: 'outside_agent' as const,
  device_serial,
  ...(ask === true ? { ask_before_build: true } : {}),
})

async function pickDevice({ options, talk, call }: Room): Promise<string> {
  const { devices } = await call(listDevices)
  const connected = devices.filter(({ state }) => state === 'device')
  const named = options.serial
  if (named !== undefined) {
    if (connected.some(({ serial }) => serial === named)) return named
    throw new UsageProblem(`${named} is not connected; \`apprentice devices\` lists what is.`)
  }
  const [only, ...others] = connected
  if (only === undefined) throw new Error('No device is connected.')
  if (others.length === 0) return only.serial
  talk.say('Several phones are connected:')
  for (const [at, device] of connected.entries()) talk.say(`  ${at + 1}. ${deviceWords(device)}`)
  const answer = await talk.ask('Which one, by number or serial?')
  const chosen = connected.find(({ serial }, at) => serial === answer || String(at + 1) === answer)
  if (chosen === undefined) throw new UsageProblem('Choose one of them with --serial.')
  return chosen.serial
}

const deviceWords = ({ serial, facts, label }: Device): string =>
  [serial, facts.model, label].filter((words) => words !== undefined).join('  ')

function openSession(error: unknown): string | undefined {
  if (!(error instanceof ApiFailure) || error.code !== 'LEARN_SESSION_ALREADY_ACTIVE') return
  const id = error.details['active_session_id']
  return typeof id === 'string' ? id : undefined
}

/** What cannot be gone on with nor cancelled has to be seen to elsewhere. */
async function whatAbout(
  talk: Conversation,
  { state, created_at }: LearnSession,
): Promise<'continue' | 'cancel' | 'leave'> {
  talk.say(`A lesson of ${created_at} is still open (${state.replaceAll('_', ' ')}).`)
  const answer = (await talk.ask('continue it, cancel it, or leave it?')) ?? ''
  if (/^co/i.test(answer)) return 'continue'
  return /^ca/i.test(answer) ? 'cancel' : 'leave'
}
