import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { listDevices, snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import {
  cancelExecution,
  createExecution,
  getExecution,
  streamExecutionEvents,
} from '@apprentice/contracts/devices/executions.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import { resolveRef } from '../../screen/element-ref.ts'
import type { ToolContext } from '../tool/tool.ts'
import { followWork } from './follow-work.ts'
import { formatPage } from '../tool/screen-lines.ts'

const MAX_LOOKS = 8
const BETWEEN_LOOKS_MS = 200
const MAX_ACTION_MS = 60_000

const on = z.string().min(1).max(40).describe('A reference such as e12 from the last reading')

/** One action of an agent. Elements are named by reference only, so that a changed screen is noticed. */
export const PhoneAction = z.discriminatedUnion('do', [
  z.object({ do: z.literal('tap'), on }),
  z.object({ do: z.literal('long_press'), on }),
  z.object({ do: z.literal('type'), on, text: z.string().min(1).max(4000), clear: z.boolean().default(true) }),
  z.object({ do: z.literal('scroll'), direction: z.enum(['up', 'down', 'left', 'right']) }),
  z.object({ do: z.literal('key'), key: z.enum(['back', 'home', 'recents']) }),
  z.object({ do: z.literal('open_app'), package: z.string().min(1).max(512) }),
])
export type PhoneAction = z.output<typeof PhoneAction>

/** The named phone, or the only one that is connected. */
export async function chooseSerial({ call }: ToolContext, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined) return wanted
  const { devices } = await call(listDevices)
  const ready = devices.filter(({ state }) => state === 'device')
  const [only, ...others] = ready
  if (only === undefined) throw refuse('NO_DEVICES', 'No phone is connected.')
  if (others.length === 0) return only.serial
  const names = ready.map(({ serial }) => serial).join(', ')
  throw refuse('MULTIPLE_DEVICES_DEVICE_ID_REQUIRED', `Name one of the connected phones as serial: ${names}.`)
}

/** Reads the screen until two readings agree and nothing is loading, a few times at most. */
export async function readSettledScreen({ call, signal }: ToolContext, serial: string): Promise<Snapshot> {
  const read = async () => (await call(snapshotDevice, { params: { serial }, body: {} })).snapshot
  let last = await read()
  for (let look = 1; look < MAX_LOOKS; look += 1) {
    await pause(BETWEEN_LOOKS_MS, undefined, { signal })
    const next = await read()
    const isSettled = next.content_hash === last.content_hash && next.loading_state === null
    last = next
    if (isSettled) break
  }
  return last
}

interface Work {
  readonly serial: string
  readonly actions: readonly PhoneAction[]
  readonly goal: string | undefined
}

/** Performs the actions one by one and returns their number. A reference is checked on the screen right before its use. */
export async function performActions(context: ToolContext, { serial, actions, goal }: Work): Promise<number> {
  for (const [at, action] of actions.entries()) {
    const steps = await toSteps(action, context, serial)
    const { state, envelope } = await runExecution(context, {
      serial,
      ...(goal === undefined ? {} : { goal }),
      execution: {
        commandId: randomUUID(),
        taskId: 'mcp',
        source: 'mcp',
        expectedFormat: 'android-ui-automator',
        timeoutMs: MAX_ACTION_MS,
        actions: steps.map((step, index) => ({ id: `step${index}`, ...step })),
      },
    })
    if (state === 'succeeded') continue
    const why = envelope?.error ?? state
    throw refuse(envelope?.errorCode ?? 'EXECUTION_FAILED', `Action ${at + 1} (${action.do}): ${why}. ${at} were done.`)
  }
  return actions.length
}

async function runExecution(context: ToolContext, body: { execution: unknown; serial: string; goal?: string }) {
  const { call } = context
  const started = await call(createExecution, { body })
  if (!('schema_version' in started)) throw new Error('The execution was not queued.')
  const params = { executionId: started.execution.execution_id }
  await followWork(context, {
    stream: streamExecutionEvents,
    params,
    cancel: () => call(cancelExecution, { params }),
  })
  return (await call(getExecution, { params })).execution
}

interface Step {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

async function toSteps(action: PhoneAction, context: ToolContext, serial: string): Promise<readonly Step[]> {
  switch (action.do) {
    case 'tap':
    case 'long_press': {
      const coordinate = await locate(action.on, context, serial)
      return [{ type: 'click', params: { coordinate, clickType: action.do === 'tap' ? 'click' : 'long_click' } }]
    }
    case 'type': {
      const coordinate = await locate(action.on, context, serial)
      const { text, clear } = action
      return [
        { type: 'click', params: { coordinate } },
        { type: 'enter_text', params: { intoFocus: true, text, clear } },
      ]
    }
    case 'scroll':
      return [{ type: 'scroll', params: { direction: action.direction } }]
    case 'key':
      return [{ type: 'press_key', params: { key: action.key } }]
    case 'open_app':
      return [{ type: 'open_app', params: { applicationId: action.package } }]
  }
}

/** Where the element is now. A reference whose element is gone or ambiguous is refused with what is on the screen. */
async function locate(ref: string, context: ToolContext, serial: string): Promise<{ x: number; y: number }> {
  const { snapshot } = await context.call(snapshotDevice, { params: { serial }, body: {} })
  const known = context.refs.find(serial, ref)
  const found = known === undefined ? undefined : resolveRef(known, snapshot)
  if (found?.ok === true && found.element.center !== null) {
    const [x, y] = found.element.center
    return { x, y }
  }
  const code = found?.ok === false ? found.code : 'STALE_REFERENCE'
  const lines = formatPage(context.refs.remember(serial, snapshot))
  throw refuse(code, `${ref} does not name an element on the screen any more. The screen shows:\n${lines}`)
}

const refuse = (code: string, message: string): ApiFailure =>
  new ApiFailure(409, { error: { code, message, retryable: false } })
