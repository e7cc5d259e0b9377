import * as fc from 'fast-check'
import { appendFileSync, existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { Projector, type ProjectorParts } from '../../src/projections/engine/projector.ts'
import { findMirrorLog } from '../../src/store/projections/projection-cursors.ts'
import { deleteObservation } from '../../src/store/capture/observations.ts'
import { randomChange } from './random-change.ts'
import { mirrors, openRig, type Rig } from './rig.ts'
import { addSession, observe } from './rows.ts'

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

test('whatever changes, and wherever it stops between file and record, a start ends in the bytes of a rebuild', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const rig = openRig()
      await walk(rig, steps)
      await (await rig.start()).settled()
      const resumed = rig.tree()
      expect(await rig.problems()).toEqual([])

      await rig.stop()
      rmSync(join(rig.home, 'system'), { recursive: true, force: true })
      await (await rig.start()).settled()
      expect(rig.tree()).toEqual(resumed)
      await rig.stop()
    }),
    { numRuns: 25 },
  )
}, 120_000)

test('while a log is being replaced, no progress of the old one is on record', async () => {
  const rig = openRig()
  const session = await rig.change((ctx) => addSession(ctx))
  const first = await rig.change((ctx) => observe(ctx, session))
  await rig.change((ctx) => observe(ctx, session))
  const mortal = startMortal(rig)
  await mortal.projector.settled()
  const file = `learning/observations/${session}/events.jsonl`
  const onRecord = () => rig.store.read((reader) => findMirrorLog(reader, file))
  expect(onRecord()).toMatchObject({ line_count: 2 })

  // The first write forgets the record of the old file, the second would make that of the new one.
  mortal.doom(2)
  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, first)
    recordSessionEvent(ctx, session, 'learn.observation.changed')
  })
  await mortal.dead

  expect(rig.tree()[file]?.split('\n')).toHaveLength(2)
  expect(onRecord()).toBeUndefined()
  await (await rig.start()).settled()
  expect(onRecord()).toMatchObject({ line_count: 1 })
})

/** A projector whose store can be made to fall silent: the process is as good as gone from then on. */
function startMortal(rig: Rig) {
  let left = Infinity
  let unsubscribe = () => undefined as unknown
  let die = () => undefined as void
  const dead = new Promise<void>((resolve) => {
    die = resolve
  })
  const store = {
    read: (work) => rig.store.read(work),
    onCommit: (listener) => {
      unsubscribe = rig.store.onCommit(listener)
      return unsubscribe
    },
    write: (work) => {
      left -= 1
      if (left > 0) return rig.store.write(work)
      unsubscribe()
      die()
      return new Promise(() => undefined)
    },
  } as ProjectorParts['store']
  const projector = new Projector({
    store,
    home: rig.home,
    mirrors,
    log: pino({ level: 'silent' }),
  })
  projector.start()
  return {
    projector,
    /** Its `writes`-th record from now on never comes about; its files are written all the same. */
    doom: (writes: number) => {
      left = writes
    },
    dead,
  }
}

async function walk(rig: Rig, steps: readonly Step[]): Promise<void> {
  let mortal = startMortal(rig)
  for (const step of steps) {
    if (step.do === 'change') await change(rig, step.picks)
    else if (step.do === 'settle') await mortal.projector.settled()
    else if (step.do === 'crash') {
      mortal.doom(step.writes)
      for (const picks of step.picks) await change(rig, picks)
      const died = mortal.dead.then(() => true)
      if (!(await Promise.race([died, mortal.projector.settled().then(() => false)]))) {
        // It had fewer records to make than it was given.
        mortal.doom(Infinity)
        await mortal.projector.stop()
      }
      mortal = startMortal(rig)
    } else {
      await mortal.projector.stop()
      if (step.do === 'damage') damage(rig, step)
      mortal = startMortal(rig)
    }
  }
  await mortal.projector.stop()
}

async function change(rig: Rig, picks: readonly number[]): Promise<void> {
  const left = [...picks]
  await rig.change((ctx) => randomChange(ctx, (below) => (left.shift() ?? 0) % below))
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
