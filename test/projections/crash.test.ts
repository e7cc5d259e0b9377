import * as fc from 'fast-check'
import { appendFileSync, existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { Projector, type ProjectorDeps } from '../../src/projections/engine/projector.ts'
import { findProjectionLog } from '../../src/store/projections/projection-cursors.ts'
import { deleteObservation } from '../../src/store/capture/observations.ts'
import { randomChange } from './random-change.ts'
import { projections, openRig, type Rig } from './rig.ts'
import { addSession, addObservation } from './rows.ts'
import { countRuns } from '../kit/count-runs.ts'

type Step =
  | { readonly do: 'change'; readonly picks: readonly number[] }
  | { readonly do: 'settle' }
  | { readonly do: 'restart' }
  | { readonly do: 'crash'; readonly writes: number; readonly picks: readonly number[][] }
  | { readonly do: 'damage'; readonly how: number; readonly which: number }

const picks = fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('change' as const), picks }) },
  { weight: 2, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      writes: fc.integer({ min: 1, max: 4 }),
      picks: fc.array(picks, { maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('damage' as const),
      how: fc.nat(2),
      which: fc.nat(1000),
    }),
  },
)

test('after any changes and a crash at any point a restart ends with the bytes of a rebuild', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const rig = openRig()
      await walk(rig, steps)
      await (await rig.start()).waitUntilSettled()
      const resumed = rig.tree()
      expect(await rig.problems()).toEqual([])

      await rig.stop()
      rmSync(join(rig.home, 'system'), { recursive: true, force: true })
      await (await rig.start()).waitUntilSettled()
      expect(rig.tree()).toEqual(resumed)
      await rig.stop()
    }),
    { numRuns: countRuns(25) },
  )
}, 120_000)

test('no progress of the old file is stored while a log is being replaced', async () => {
  const rig = openRig()
  const session = await rig.change((ctx) => addSession(ctx))
  const first = await rig.change((ctx) => addObservation(ctx, session))
  await rig.change((ctx) => addObservation(ctx, session))
  const running = startCrashing(rig)
  await running.projector.waitUntilSettled()
  const file = `learning/observations/${session}/events.jsonl`
  const storedProgress = () => rig.store.read((reader) => findProjectionLog(reader, file))
  expect(storedProgress()).toMatchObject({ line_count: 2 })

  // The first write deletes the progress of the old file. The second would store that of the new one.
  running.crashAt(2)
  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, first)
    recordSessionEvent(ctx, session, 'learn.observation.changed')
  })
  await running.crashed

  expect(rig.tree()[file]?.split('\n')).toHaveLength(2)
  expect(storedProgress()).toBeUndefined()
  await (await rig.start()).waitUntilSettled()
  expect(storedProgress()).toMatchObject({ line_count: 1 })
})

/** Starts a projector whose store can stop answering, which has the effect of a crash. */
function startCrashing(rig: Rig) {
  let remaining = Infinity
  let unsubscribe = () => undefined as unknown
  let resolveCrashed = () => undefined as void
  const crashed = new Promise<void>((resolve) => {
    resolveCrashed = resolve
  })
  const store = {
    read: (work) => rig.store.read(work),
    onCommit: (listener) => {
      unsubscribe = rig.store.onCommit(listener)
      return unsubscribe
    },
    write: (work) => {
      remaining -= 1
      if (remaining > 0) return rig.store.write(work)
      unsubscribe()
      resolveCrashed()
      return new Promise(() => undefined)
    },
  } as ProjectorDeps['store']
  const projector = new Projector({
    store,
    home: rig.home,
    projections,
    log: pino({ level: 'silent' }),
  })
  projector.start()
  return {
    projector,
    /** Crashes at the `writes`-th database write from now on. Files are still written. */
    crashAt: (writes: number) => {
      remaining = writes
    },
    crashed,
  }
}

async function walk(rig: Rig, steps: readonly Step[]): Promise<void> {
  let running = startCrashing(rig)
  for (const step of steps) {
    if (step.do === 'change') await change(rig, step.picks)
    else if (step.do === 'settle') await running.projector.waitUntilSettled()
    else if (step.do === 'crash') {
      running.crashAt(step.writes)
      for (const picks of step.picks) await change(rig, picks)
      const didCrash = running.crashed.then(() => true)
      if (!(await Promise.race([didCrash, running.projector.waitUntilSettled().then(() => false)]))) {
        // It needed fewer writes than that.
        running.crashAt(Infinity)
        await running.projector.stop()
      }
      running = startCrashing(rig)
    } else {
      await running.projector.stop()
      if (step.do === 'damage') damage(rig, step)
      running = startCrashing(rig)
    }
  }
  await running.projector.stop()
}

async function change(rig: Rig, picks: readonly number[]): Promise<void> {
  const remaining = [...picks]
  await rig.change((ctx) => randomChange(ctx, (below) => (remaining.shift() ?? 0) % below))
}

function damage(rig: Rig, { how, which }: { how: number; which: number }): void {
  const root = join(rig.home, 'system')
  const files = existsSync(root) ? Object.keys(rig.tree()) : []
  const file = files[which % Math.max(1, files.length)]
  if (file === undefined) return
  const path = join(root, file)
  if (how === 0) rmSync(path)
  else if (how === 1) appendFileSync(path, '{"torn":')
  else if (file.endsWith('.jsonl')) truncateSync(path, 5)
  else writeFileSync(path, 'edited')
}
