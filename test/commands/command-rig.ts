import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type Call, createClient } from '@apprentice/contracts/client.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { createExecution } from '@apprentice/contracts/devices/executions.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { open, tap } from '../teach/teaching.ts'
import { createHome, type ProgramResult, runProgram, serve } from './program.ts'
import { InteractiveProgram } from './interactive-program.ts'

export const CLIMATE_APP = 'org.apprentice.climate'

export interface Unit {
  readonly id: number
  readonly name: string
  readonly temperature: number
}

/** Commands as processes, a daemon, and a simulated phone in this process, whose state the tests can read. */
export interface CommandRig {
  readonly url: string
  readonly phone: Phone
  readonly call: Call
  readonly cli: (...args: readonly string[]) => Promise<ProgramResult>
  readonly interact: (...args: readonly string[]) => InteractiveProgram
  /** Runs actions on the phone, as the live screen of the dashboard does. */
  readonly sendActions: (...actions: readonly object[]) => Promise<void>
  /** What the app has saved, read from the phone itself. */
  readonly readUnits: () => readonly Unit[]
  readonly setUnits: (units: readonly Unit[]) => void
}

export interface RigOptions {
  /** Whether the daemon is the built program in a process of its own. By default it runs in this process. */
  readonly ownProcess?: boolean
}

export async function startCommandRig(
  whenOver: WhenOver,
  { ownProcess = false }: RigOptions = {},
): Promise<CommandRig> {
  const phone = createPhone()
  const face = await startAdbServer({ hosts: [phone] })
  whenOver(() => face.close())
  const { home, url } = await (ownProcess ? serveProgram : serveHere)(face.port, whenOver)
  const token = readFileSync(join(home, 'secrets', 'admin.token'), 'utf8').trim()
  const call = createClient({ baseUrl: url, token })
  await vi.waitFor(async () => expect((await call(listDevices)).devices).toMatchObject([{ state: 'device' }]), {
    timeout: 20_000,
  })
  const env = { APPRENTICE_HOME: home, PATH: process.env['PATH'] ?? '' }
  const saved = () => (phone.state(CLIMATE_APP) as unknown as { saved: { units: Unit[] } }).saved
  return {
    url,
    phone,
    call,
    cli: (...args) => runProgram([...args, '--url', url], env),
    interact: (...args) => new InteractiveProgram([...args, '--url', url], env, whenOver),
    sendActions: (...actions) => runActions(call, actions),
    readUnits: () => saved().units,
    setUnits: (units) => phone.setState(CLIMATE_APP, { saved: { units } } as never),
  }
}

type Served = { readonly home: string; readonly url: string }

async function serveProgram(adbPort: number, whenOver: WhenOver): Promise<Served> {
  const home = createHome(whenOver)
  const env = { APPRENTICE_PHONE: 'adb', ADB_SERVER_SOCKET: `tcp:127.0.0.1:${adbPort}` }
  return { home, url: (await serve(home, env, whenOver)).url }
}

async function serveHere(adbPort: number, whenOver: WhenOver): Promise<Served> {
  const daemon = await startDaemon({
    whenOver,
    realTime: true,
    config: { phone: 'adb', adb: { host: '127.0.0.1', port: adbPort } },
    settings: { scenes: { samples: true } },
  })
  // Commands find the token where the first start of the program writes it.
  mkdirSync(join(daemon.home, 'secrets'), { recursive: true, mode: 0o700 })
  writeFileSync(join(daemon.home, 'secrets', 'admin.token'), adminToken, { mode: 0o600 })
  return { home: daemon.home, url: (await daemon.listen()).url }
}

let commandCount = 0

async function runActions(call: Call, actions: readonly object[]): Promise<void> {
  commandCount += 1
  const execution = {
    commandId: `demonstrated-${commandCount}`,
    taskId: 'demonstration',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
  }
  const reply = await call(createExecution, { body: { execution, wait_ms: 60_000 } })
  expect(reply).toMatchObject({ execution: { state: 'succeeded' } })
}

/** Closes the app and opens the launcher. */
export const resetPhone = ({ sendActions }: CommandRig): Promise<void> =>
  sendActions(
    { type: 'close_app', params: { applicationId: CLIMATE_APP } },
    { type: 'press_key', params: { key: 'home' } },
  )

/** Opens the app, sets the temperature of Reception and returns to the list. */
export async function demonstrateTemperature({ sendActions }: CommandRig): Promise<void> {
  await sendActions(open(CLIMATE_APP), tap('Reception'))
  await sendActions(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
  await sendActions(tap('Save'), tap({ resourceId: 'android:id/button1' }))
}

/** Teaches and installs the ability without questions. Returns its id. */
export async function teachTemperature(rig: CommandRig, goal: string): Promise<string> {
  await resetPhone(rig)
  const program = rig.interact('teach', '--yes', '--goal', goal)
  await program.waitFor('Commands:')
  await demonstrateTemperature(rig)
  await program.waitFor('Tap Save')
  await program.waitFor('Tap Save')
  program.writeLines('stop')
  const { code, stdout, stderr } = await program.end()
  expect(code, stdout + stderr).toBe(0)
  return /Installed as (\S+)\.\n/.exec(stdout)?.[1] ?? ''
}

/** The recorder reads a screen after it appears; a person is not faster than that. */
const TOUCH_DELAY_MS = 1200

/** Touches an element on the phone itself, once it is on the screen. */
export async function touchElement({ phone }: CommandRig, name: string): Promise<void> {
  const find = () => phone.screenNodes().find(({ text, description }) => text === name || description === name)
  await vi.waitFor(() => expect(find()).toBeDefined(), { timeout: 10_000 })
  await setTimeout(TOUCH_DELAY_MS)
  const { left = 0, top = 0, right = 0, bottom = 0 } = find()?.bounds ?? {}
  await phone.person.touch(Math.floor((left + right) / 2), Math.floor((top + bottom) / 2))
}
