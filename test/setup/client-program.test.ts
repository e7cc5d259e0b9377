import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const DIST = join(import.meta.dirname, '..', '..', 'dist')
/** The bundler names each module by its path. */
const DAEMON_MODULE = /\bsrc\/(?:daemon|domain|jobs|routes|server|store)\/[\w./-]+/

test('the program of client commands contains no code of the daemon', () => {
  expect(readFileSync(join(DIST, 'program.cjs'), 'utf8')).toMatch(DAEMON_MODULE)
  expect(DAEMON_MODULE.exec(readFileSync(join(DIST, 'client.cjs'), 'utf8'))?.[0]).toBeUndefined()
})
