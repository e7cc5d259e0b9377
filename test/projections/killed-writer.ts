import { randomInt } from 'node:crypto'
import { pino } from 'pino'
import { listProjections } from '../../src/projections/files/projection-table.ts'
import { Projector } from '../../src/projections/engine/projector.ts'
import { commandContext, openStore } from './open-store.ts'
import { randomChange } from './random-change.ts'

/** Changes rows in a loop while a projector runs, and prints a character for each change. Runs until it is killed. */
const home = process.argv[2] ?? ''
const store = openStore(home)
const log = pino({ level: 'silent' })
new Projector({ store, home, projections: listProjections({ max_phase: 1 }), log }).start()
for (;;) {
  await store.write((tx) => randomChange(commandContext(tx), (below) => randomInt(below)))
  process.stdout.write('.')
  await new Promise((resolve) => setTimeout(resolve, randomInt(3)))
}
