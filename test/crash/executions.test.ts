import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../devices/driver/outcomes.ts'
import { tapMark, payload, endlessWait } from '../devices/pool/pool.ts'
import { type Client, startSurvivingPhones } from '../devices/pool/surviving-phones.ts'

const TIMEOUT_MS = 120_000
const countOpen = async (client: Client) => (await client.count('queued')) + (await client.count('running'))

test('a kill with 8 running and 50 queued executions loses none and repeats none', async () => {
  const rig = await startSurvivingPhones(8)
  const { phones } = rig
  let client = await rig.serve()
  await client.waitForPhones(8)
  const running = phones.map(({ serial }) => ({
    execution: payload({
      actions: [tapMark(0), endlessWait, tapMark(0, 'again')],
      commandId: `running-${serial}`,
      timeoutMs: TIMEOUT_MS,
    }),
    serial,
  }))
  for (const body of running) expect((await client.send(body)).status).toBe(202)
  await eventually(
    () => phones.map(({ order }) => order().length),
    (taps) => taps.every((count) => count === 1),
  )
  for (let at = 0; at < 50; at += 1) {
    const [serial, name] = [phones[at % 8]?.serial, 1 + Math.floor(at / 8)]
    const commandId = `waiting-${serial}-${name}`
    const sent = await client.send({
      execution: payload({ actions: [tapMark(name)], commandId, timeoutMs: TIMEOUT_MS }),
      serial,
    })
    expect([sent.status, sent.execution.state]).toEqual([202, 'queued'])
  }
  expect([await client.count('running'), await client.count('queued')]).toEqual([8, 50])

  expect(await rig.kill()).toBe('SIGKILL')
  expect(phones.map(({ order }) => order())).toEqual(phones.map(() => ['0']))
  client = await rig.serve()
  await eventually(
    () => countOpen(client),
    (count) => count === 0,
  )

  const all = await client.list()
  expect(all.size).toBe(58)
  for (const [at, { serial, order }] of phones.entries()) {
    const interrupted = all.get(`running-${serial}`)
    expect(interrupted).toMatchObject({ state: 'interrupted', completed_steps: 1 })
    expect(interrupted?.envelope).toMatchObject({
      status: 'failed',
      errorCode: 'EXECUTION_INTERRUPTED',
      stepResults: [{ id: 'mark-0', success: true }],
    })
    const own = Array.from({ length: at < 2 ? 7 : 6 }, (_, n) => String(n + 1))
    for (const name of own) {
      expect(all.get(`waiting-${serial}-${name}`)).toMatchObject({ state: 'succeeded' })
    }
    expect(order()).toEqual(['0', ...own])
  }
  const [first] = running
  const repeated = await client.send({ ...first, wait_ms: 1000 })
  expect([repeated.status, repeated.execution.state]).toEqual([200, 'interrupted'])
  expect(phones[0]?.order().filter((name) => name === '0')).toHaveLength(1)
}, 90_000)

test('a daemon that is killed repeatedly during taps taps nothing twice', async () => {
  const rig = await startSurvivingPhones(8, 80)
  const { phones } = rig
  const names = [1, 2, 3, 4, 5, 6, 7]
  let client = await rig.serve()
  await client.waitForPhones(8)
  const bodies = names.flatMap((name) =>
    phones.map(({ serial }) => {
      const commandId = `${serial}-${name}`
      return {
        execution: payload({ actions: [tapMark(name)], commandId, timeoutMs: TIMEOUT_MS }),
        serial,
      }
    }),
  )
  // Executions may settle before a kill on a slow machine. The one that its phone holds cannot.
  const [held] = phones
  const release = held?.clock.hold()
  await Promise.all(bodies.map((body) => client.send(body)))
  await eventually(
    () => held?.clock.busy,
    (busy) => busy === 1,
  )
  for (const delayMs of [0, 60, 150]) {
    const isBusy = () => phones.some(({ clock }) => clock.busy > 0)
    const idle = await eventually(
      async () => !isBusy() && (await countOpen(client)) === 0,
      (over) => over || isBusy(),
    )
    // On a slow machine all executions may have settled before the last kill.
    if (idle) break
    await sleep(delayMs)
    expect(await rig.kill()).toBe('SIGKILL')
    release?.()
    client = await rig.serve()
  }
  await eventually(
    () => countOpen(client),
    (count) => count === 0,
  )

  const all = await client.list()
  const interrupted = [...all.values()].filter(({ state }) => state === 'interrupted')
  expect(all.size).toBe(bodies.length)
  expect(interrupted.length).toBeGreaterThan(0)
  for (const { serial, order } of phones) {
    for (const name of names) {
      const execution = all.get(`${serial}-${name}`)
      const taps = order().filter((touched) => touched === String(name)).length
      expect(['succeeded', 'interrupted']).toContain(execution?.state)
      if (execution?.state === 'succeeded') expect(taps).toBe(1)
      else expect(execution?.envelope?.errorCode).toBe('EXECUTION_INTERRUPTED')
      expect(taps).toBeLessThanOrEqual(1)
    }
  }
}, 90_000)
