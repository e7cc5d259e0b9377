import type { Progress } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { eventually } from '../devices/driver/outcomes.ts'
import type { Daemon } from '../kit/daemon.ts'
import { countRows } from '../runs/run-kit.ts'
import { CLIMATE, open, readUnits, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'
import { connectClient, holdPhone, readError } from './mcp-client.ts'

/** Teaches to set the temperature of a unit. */
async function teach(setup: TeachingSetup): Promise<string> {
  const show = async ({ act }: Pick<TeachingSetup, 'act'>) => {
    await act(open(CLIMATE), tap('Reception'))
    await act(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
    await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  }
  return await setup.install(await setup.demonstrate({ goal: "Set a unit's temperature", show }))
}

const readTemperature = (setup: TeachingSetup, unit: string): number | undefined =>
  readUnits(setup).find(({ name }) => name === unit)?.temperature

test('clients are told of what was just taught, find it, run it with progress, are asked, and cancel it', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const { url } = await daemon.listen()
  const answers = [{ temperature: 22 }, undefined]
  const questions: string[] = []
  const client = await connectClient(url, {
    answer: (message) => {
      questions.push(message)
      const content = answers.shift()
      return content === undefined ? { action: 'decline' } : { action: 'accept', content }
    },
  })
  const other = await connectClient(url)
  let changes = 0
  other.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1
  })
  const readNames = async () => (await other.listTools()).tools.map(({ name }) => name)
  const before = await readNames()
  const abilityId = await teach(setup)
  const query = { name: 'find_abilities', arguments: { query: 'set the temperature' } }
  const found = { ability_id: abilityId, inputs: expect.arrayContaining(['unit', 'temperature']) as string[] }
  expect((await client.callTool(query)).structuredContent).toMatchObject({
    matches: [{ ...found, usable_now: false, reason_unusable: 'not_rehearsed' }],
  })
  expect(await readNames()).toEqual(before)

  const progress: Progress[] = []
  const ran = await client.callTool(
    { name: 'run_ability', arguments: { ability_id: abilityId, inputs: { unit: 'Kitchen', temperature: 23 } } },
    { onprogress: (step) => progress.push(step) },
  )
  expect(ran.structuredContent).toMatchObject({ state: 'success', verification: [{ held: true, observed: '23.0 °C' }] })
  expect(readTemperature(setup, 'Kitchen')).toBe(23)
  expect(progress.map((step) => step.progress)).toEqual(progress.map((_, at) => at + 1))
  expect(progress.length).toBeGreaterThan(3)

  // The phone has shown that it works, so it is usable, and the other client is told.
  const names = await eventually(readNames, (listed) => listed.length > before.length)
  await eventually(
    () => changes,
    (count) => count > 0,
  )
  const [tool = ''] = names.filter((name) => !before.includes(name))
  expect(tool).toBe(`ability_${abilityId.replace('learned.', '').replaceAll('-', '_')}`)
  expect((await client.callTool(query)).structuredContent).toMatchObject({ matches: [{ ...found, usable_now: true }] })

  const lacking = { name: 'run_ability', arguments: { ability_id: abilityId, inputs: { unit: 'Kitchen' } } }
  expect((await client.callTool(lacking)).structuredContent).toMatchObject({ state: 'success' })
  expect(readTemperature(setup, 'Kitchen')).toBe(22)
  expect(readError(await client.callTool(lacking)).code).toBe('RECIPE_INPUT_MISSING')
  expect(questions).toHaveLength(2)

  const release = holdPhone(daemon)
  const runs = countRows(daemon, 'ability_runs')
  const abort = new AbortController()
  const running = client.callTool(
    { name: tool, arguments: { unit: 'Kitchen', temperature: 25 } },
    { signal: abort.signal },
  )
  await eventually(
    () => countRows(daemon, 'ability_runs'),
    (count) => count > runs,
  )
  abort.abort()
  await expect(running).rejects.toThrow('abort')
  await eventually(
    () => daemon.events().filter(({ kind }) => kind === 'ability.run.settled'),
    (events) => events.at(-1)?.payload['state'] === 'cancelled',
  )
  release()
  expect(readTemperature(setup, 'Kitchen')).toBe(22)

  const told = changes
  expect((await daemon.delete(`/api/abilities/${abilityId}`)).statusCode).toBeLessThan(300)
  expect(await eventually(readNames, (listed) => !listed.includes(tool))).toEqual(before)
  await eventually(
    () => changes,
    (count) => count > told,
  )
}, 120_000)

const RECEIPTS = ['receipts', 'use_receipts', 'checkpoint_receipts', 'connector_receipts'] as const

/** What a call wrote: the receipts without ids and times, and the kinds of the events. */
async function record(daemon: Daemon, work: () => Promise<unknown>) {
  const [events, counts] = [daemon.events().length, RECEIPTS.map((table) => countRows(daemon, table))]
  await work()
  const receipts = RECEIPTS.map((table, at) =>
    daemon.system.store
      .read(({ db }) => db.prepare(`SELECT * FROM ${table} ORDER BY rowid LIMIT -1 OFFSET ?`).all(counts[at]))
      .map((row) => ({ table, ...maskIds(row as Record<string, unknown>) })),
  )
  return {
    receipts: receipts.flat(),
    events: daemon
      .events()
      .slice(events)
      .map(({ kind, subject }) => [kind, maskId(subject)]),
  }
}

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
const maskId = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(ID, 'id').replaceAll(TIME, 'time') : value
const maskIds = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, NUMBERS.has(name) ? 0 : maskId(value)]))
const NUMBERS = new Set(['position', 'seq', 'duration_ms'])

test('a call over MCP leaves the same receipts and events as the request that it stands for', async () => {
  const setup = await startTeaching()
  const { daemon } = setup
  const abilityId = await teach(setup)
  const client = await connectClient((await daemon.listen()).url)
  const callTool = async (name: string, args: Record<string, unknown>) => {
    const reply = await client.callTool({ name, arguments: args })
    expect(reply.isError, JSON.stringify(reply.content)).toBeUndefined()
  }
  // The first run decides what the ability is worth; both others are equal.
  await setup.run(abilityId, { unit: 'Lobby', temperature: 20 })
  const inputs = { unit: 'Lobby', temperature: 20 }
  const runOverRest = await record(daemon, () => setup.run(abilityId, inputs))
  expect(await record(daemon, () => callTool('run_ability', { ability_id: abilityId, inputs }))).toEqual(runOverRest)
  expect(runOverRest.receipts).toContainEqual(expect.objectContaining({ table: 'use_receipts' }))

  const report = { checkpoint_id: 'saved', status: 'reached', evidence: 'The list shows it' }
  const task = { ...report, ability_id: abilityId, dispatch_id: 'task-1' }
  const reportOverRest = await record(daemon, () => daemon.post('/api/bridge/verify-checkpoint', task))
  expect(await record(daemon, () => callTool('verify_checkpoint', task))).toEqual(reportOverRest)
  expect(reportOverRest.receipts).toContainEqual(expect.objectContaining({ table: 'checkpoint_receipts' }))
}, 120_000)
