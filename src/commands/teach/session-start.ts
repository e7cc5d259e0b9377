import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { type Device, listDevices } from '@apprentice/contracts/devices/device.ts'
import { getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import { cancelSession, createSession } from '@apprentice/contracts/learn/sessions.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import type { Conversation } from '../terminal/conversation.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { abortable, TeachDialog, type TeachOptions } from './teach-dialog.ts'

interface TeachContext {
  readonly options: TeachOptions
  readonly conversation: Conversation
  readonly call: Call
}

/** Creates a session on a phone, or continues the open one. Returns undefined if the person leaves that one open. */
export async function openTeachDialog(context: TeachContext): Promise<TeachDialog | undefined> {
  const call = abortable(context.call, context.conversation.signal)
  const serial = await pickDevice({ ...context, call })
  for (;;) {
    try {
      const { session } = await call(createSession, {
        body: buildSessionBody(context.options, serial),
      })
      return new TeachDialog(context, { serial, sessionId: session.learn_session_id })
    } catch (error) {
      const sessionId = readOpenSessionId(error)
      if (sessionId === undefined) throw error
      const open = await call(getSessionDetail, { params: { sessionId } })
      const answer = await askAboutOpenSession(context.conversation, open.session)
      if (answer === 'leave') return undefined
      if (answer === 'continue') {
        const place = { serial: open.session.device_serial ?? serial, sessionId }
        return new TeachDialog(context, place)
      }
      await call(cancelSession, {
        params: { sessionId },
        body: { reason: 'replaced by a new session' },
      })
    }
  }
}

const buildSessionBody = ({ ask }: TeachOptions, device_serial: string) => ({
  entry_mode: 'demonstrating_skill' as const,
  observation_mode: 'outside_agent' as const,
  device_serial,
  ...(ask === true ? { ask_before_build: true } : {}),
})

async function pickDevice({ options, conversation, call }: TeachContext): Promise<string> {
  const { devices } = await call(listDevices)
  const connected = devices.filter(({ state }) => state === 'device')
  const named = options.serial
  if (named !== undefined) {
    if (connected.some(({ serial }) => serial === named)) return named
    throw new UsageError(`${named} is not connected. List the devices with \`${hintCommand('devices')}\`.`)
  }
  const [only, ...others] = connected
  if (only === undefined) throw new Error('No device is connected.')
  if (others.length === 0) return only.serial
  conversation.say('Several devices are connected:')
  for (const [at, device] of connected.entries()) conversation.say(`  ${at + 1}. ${formatDevice(device)}`)
  const answer = await conversation.ask('Which one? Enter its number or serial:')
  const chosen = connected.find(({ serial }, at) => serial === answer || String(at + 1) === answer)
  if (chosen === undefined) throw new UsageError('Choose a device with --serial.')
  return chosen.serial
}

const formatDevice = ({ serial, facts, label }: Device): string =>
  [serial, facts.model, label].filter((text) => text !== undefined).join('  ')

function readOpenSessionId(error: unknown): string | undefined {
  if (!(error instanceof ApiFailure) || error.code !== 'LEARN_SESSION_ALREADY_ACTIVE') return
  const id = error.details['active_session_id']
  return typeof id === 'string' ? id : undefined
}

async function askAboutOpenSession(
  conversation: Conversation,
  { state, created_at }: LearnSession,
): Promise<'continue' | 'cancel' | 'leave'> {
  conversation.say(`A session from ${created_at} is still open (${state.replaceAll('_', ' ')}).`)
  const answer = (await conversation.ask('Continue it, cancel it, or leave it open?')) ?? ''
  if (/^co/i.test(answer)) return 'continue'
  return /^ca/i.test(answer) ? 'cancel' : 'leave'
}
