import { randomInt } from 'node:crypto'
import { pino } from 'pino'
import { mirrorTable } from '../../src/projections/files/projection-table.ts'
import { Projector } from '../../src/projections/engine/projector.ts'
import { actOf, openStore } from './open-store.ts'
import { randomChange } from './random-change.ts'

/** Changes rows without end while a projector runs, until it is killed. */
const home = process.argv[2] ?? ''
const store = openStore(home)
const log = pino({ level: 'silent' })
new Projector({ store, home, mirrors: mirrorTable({ max_phase: 1 }), log }).start()
process.stdout.write('ready\n')
for (;;) {
  await store.write((tx) => randomChange(actOf(tx), (below) => randomInt(below)))
  await new Promise((resolve) => setTimeout(resolve, randomInt(3)))
}
