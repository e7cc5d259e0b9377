import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CallGroup, type Scope, startBudget, withLimits } from '../../../src/devices/adb/call-limits.ts'
import { SOON, transportFailure } from './outcomes.ts'

const subject = { serial: 'phone-1', what: 'a call' }
const never = new Promise<never>(() => {})

/** Records the releases of a call, in order. */
function recordReleases(released: string[]): (scope: Scope) => void {
  return (scope) => {
    scope.onFailure(() => released.push('failure'))
    scope.onEnd(() => released.push('own'))
  }
}

test('a successful call does not run its failure releases', async () => {
  const released: string[] = []
  const call = withLimits(SOON, subject, async (scope) => {
    recordReleases(released)(scope)
    return 7
  })
  expect(await call).toBe(7)
  expect(released).toEqual(['own'])
})

test.each([
  ['at once', (): Promise<never> => fail()],
  ['later', () => sleep(5).then(fail)],
])('a call whose work fails %s releases everything', async (_when, work) => {
  const released: string[] = []
  const call = withLimits(SOON, subject, (scope) => {
    recordReleases(released)(scope)
    return work()
  })
  await expect(call).rejects.toThrow('no luck')
  expect(released).toEqual(['failure', 'own'])
})

test.each([
  ['its time limit', () => ({ timeoutMs: 20 }), 'deadline'],
  ['its signal', () => ({ timeoutMs: 60_000, signal: AbortSignal.timeout(20) }), 'aborted'],
  ['its group', () => ({ timeoutMs: 60_000, group: closingSoon() }), 'aborted'],
] as const)('work that never settles is ended by %s', async (_by, limits, kind) => {
  const released: string[] = []
  const call = withLimits(limits(), subject, (scope) => {
    recordReleases(released)(scope)
    scope.commandSent()
    return never
  })
  const failure = await transportFailure(call)
  expect(failure).toMatchObject({ kind, serial: 'phone-1', commandSent: true })
  expect(released).toEqual(['failure', 'own'])
})

test.each([
  ['no time', { timeoutMs: 0 }, 'deadline'],
  ['an aborted signal', { timeoutMs: 60_000, signal: AbortSignal.abort() }, 'aborted'],
  ['a closed group', { timeoutMs: 60_000, group: closed() }, 'aborted'],
] as const)('with %s the work is not started', async (_with, limits, kind) => {
  let isStarted = false
  const call = withLimits(limits, subject, async () => {
    isStarted = true
  })
  expect(await transportFailure(call)).toMatchObject({ kind, commandSent: false })
  expect(isStarted).toBe(false)
})

test('what is opened after the end is released at once', async () => {
  const released: string[] = []
  let late = (): void => {}
  const call = withLimits({ timeoutMs: 10 }, subject, (scope) => {
    late = () => recordReleases(released)(scope)
    return never
  })
  await transportFailure(call)
  late()
  expect(released).toEqual(['failure', 'own'])
})

test('a group cancels only its own running calls', async () => {
  const [mine, other] = [new CallGroup(), new CallGroup()]
  const done = withLimits({ ...SOON, group: mine }, subject, async () => 'done')
  expect(await done).toBe('done')
  const ended = withLimits({ ...SOON, group: mine }, subject, () => never)
  const spared = withLimits({ ...SOON, group: other }, subject, () => sleep(20, 'spared'))
  mine.close()
  expect((await transportFailure(ended)).kind).toBe('aborted')
  expect(await spared).toBe('spared')
})

test('the steps of a budget share its time, signal and group', async () => {
  const group = new CallGroup()
  const { signal } = new AbortController()
  const budget = startBudget({ timeoutMs: 1000, signal, group })
  await sleep(20)
  const rest = budget.remainingLimits()
  expect(rest).toMatchObject({ signal, group })
  expect(rest.timeoutMs).toBeLessThan(990)
  expect(startBudget({ timeoutMs: -5 }).remainingMs()).toBe(0)
})

function fail(): never {
  throw new Error('no luck')
}

function closed(): CallGroup {
  const group = new CallGroup()
  group.close()
  return group
}

function closingSoon(): CallGroup {
  const group = new CallGroup()
  setTimeout(() => group.close(), 20)
  return group
}
