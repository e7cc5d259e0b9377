import { createRandom } from '../crash/random.ts'
import { World } from '../crash/world.ts'
import type { Attack } from './attack.ts'

/** Each world has its own home and its own users. Two use both cores of a small machine. */
const WORLDS = 2
const START_SHARE = 0.1
/** Projections are compared in every tenth round. */
const PROJECTION_INTERVAL = 10

/** Kills daemons while users work with them, and compares the database with what was acknowledged after each kill. */
export async function attackWithKills(attack: Attack): Promise<void> {
  const { kills, seed } = attack.plan
  if (kills === 0) return
  const worlds = Array.from({ length: Math.min(WORLDS, kills) }, (_, n) => new World(createRandom(seed + 10 + n)))
  const count = () => worlds.reduce((total, world) => total + world.kills, 0)
  try {
    await Promise.all(
      worlds.map(async (world, n) => {
        const random = createRandom(seed + 20 + n)
        await world.open()
        for (let round = 1; world.isConsistent && count() < kills && !attack.isOver; round += 1) {
          if (random.chance(START_SHARE)) await world.killDuringStart()
          else await world.killDuringWork({ projections: round % PROJECTION_INTERVAL === 0 })
          attack.progress('kills', count())
        }
        if (world.isConsistent) await world.finish()
      }),
    )
  } finally {
    for (const world of worlds) world.close()
  }
  attack.figures.count('kills', count())
  for (const { ledger, interrupted } of worlds) {
    attack.figures.count('writes_acknowledged', ledger.acknowledged.length)
    attack.figures.count('writes_interrupted_by_a_kill', interrupted)
    for (const fault of ledger.faults) attack.lost(`kills: ${fault}`)
  }
}
