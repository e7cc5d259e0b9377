import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type Call, createClient } from '@apprentice/contracts/client.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { createExecution } from '@apprentice/contracts/devices/executions.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbServerFace } from '@apprentice/phone/wire/adb-server-face.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { open, tap } from '../teach/teaching.ts'
import { aHome, type Run, run, serve } from './program.ts'
import { Talk } from './talk.ts'

export const climate = 'org.apprentice.climate'

export interface Unit {
  readonly id: number
  readonly name: string
  readonly temperature: number
}

/** A daemon of its own process, and a phone here, where its truth can be looked into. */
export interface School {
  readonly phone: Phone
  readonly call: Call
  readonly cli: (...args: readonly string[]) => Promise<Run>
  readonly talk: (...args: readonly string[]) => Talk
  /** Does these actions on the phone, as a page with the live screen would. */
  readonly act: (...actions: readonly object[]) => Promise<void>
  /** What the app has saved, by the phone's own account. */
  readonly units: () => readonly Unit[]
  readonly setUnits: (units: readonly Unit[]) => void
}

export async function openSchool(whenOver: WhenOver): Promise<School> {
  const home = aHome(whenOver)
  const phone = createPhone()
  const face = await startAdbServerFace({ hosts: [phone] })
  whenOver(() => face.close())
  const { url } = await serve(
    home,
    { APPRENTICE_PHONE: 'adb', ADB_SERVER_SOCKET: `tcp:127.0.0.1:${face.port}` },
    whenOver,
  )
  const token = readFileSync(join(home, 'secrets', 'admin.token'), 'utf8').trim()
  const call = createClient({ baseUrl: url, token })
  await vi.waitFor(
    async () => expect((await call(listDevices)).devices).toMatchObject([{ state: 'device' }]),
    { timeout: 20_000 },
  )
  const env = { APPRENTICE_HOME: home, PATH: process.env['PATH'] ?? '' }
  const saved = () => (phone.state(climate) as unknown as { saved: { units: Unit[] } }).saved
  return {
    phone,
    call,
    cli: (...args) => run([...args, '--url', url], env),
    talk: (...args) => new Talk([...args, '--url', url], env, whenOver),
    act: (...actions) => perform(call, actions),
    units: () => saved().units,
    setUnits: (units) => phone.setState(climate, { saved: { units } } as never),
  }
}

let commands = 0

async function perform(call: Call, actions: readonly object[]): Promise<void> {
  commands += 1
  const execution = {
    commandId: `shown-${commands}`,
    taskId: 'lesson',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
  }
  const reply = await call(createExecution, { body: { execution, wait_ms: 60_000 } })
  expect(reply).toMatchObject({ execution: { state: 'succeeded' } })
}

/** Puts the phone down as it is taken up: at home, with nothing open. */
export const putDown = ({ act }: School): Promise<void> =>
  act(
    { type: 'close_app', params: { applicationId: climate } },
    { type: 'press_key', params: { key: 'home' } },
  )

/** Sets the temperature of Reception, from the outside of the app to its list again. */
export async function showTemperature({ act }: School): Promise<void> {
  await act(open(climate), tap('Reception'))
  await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
  await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
}

/** Teaches it from the first word to the ability, without a question; returns the ability's id. */
export async function teachTemperature(school: School, goal: string): Promise<string> {
  await putDown(school)
  const talk = school.talk('teach', '--yes', '--goal', goal)
  await talk.hear('Commands:')
  await showTemperature(school)
  await talk.hear('Tap Save')
  await talk.hear('Tap Save')
  talk.say('stop')
  const { code, stdout, stderr } = await talk.end()
  expect(code, stdout + stderr).toBe(0)
  return /Installed as (\S+)\.\n/.exec(stdout)?.[1] ?? ''
}

/** Nobody touches a thing the moment it appears. */
const momentToSee = 1200

/** The phone, held in a hand: touches what is called so once it is there. */
export async function touch({ phone }: School, name: string): Promise<void> {
  const find = () =>
    phone.screenNodes().find(({ text, description }) => text === name || description === name)
  await vi.waitFor(() => expect(find()).toBeDefined(), { timeout: 10_000 })
  await setTimeout(momentToSee)
  const { left = 0, top = 0, right = 0, bottom = 0 } = find()?.bounds ?? {}
  await phone.person.touch(Math.floor((left + right) / 2), Math.floor((top + bottom) / 2))
}
