import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestProgram } from './kit/build-program.ts'
import type { WhenOver } from './kit/phone-of-the-run.ts'

const endings: Parameters<WhenOver>[0][] = []
let module: string

beforeAll(async () => {
  module = await buildTestProgram(join(import.meta.dirname, '..', 'src', 'daemon', 'log.ts'), (end) =>
    endings.push(end),
  )
})

afterAll(async () => {
  for (const end of endings) await end()
})

/** What a program that logs and then ends like this leaves on its output. */
async function linesOf(ending: string): Promise<string[]> {
  const program = `
    import { openLog } from ${JSON.stringify(module)}
    const log = openLog({ log: 'info' })
    log.info({ token: 'hidden' }, 'first')
    log.info('second')
    ${ending}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines = (await text(child.stdout)).trim().split('\n')
  expect(lines.join()).not.toContain('hidden')
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
}

test.each([
  ['by itself', ''],
  ['at once', 'process.exit(3)'],
  ['by a fault', "throw new Error('no')"],
  ['by a fault that it says', "log.fatal('third'); process.kill(process.pid, 'SIGKILL')"],
])('a program that ends %s has said what it logged', async (_how, ending) => {
  const said = ending.includes('third') ? ['first', 'second', 'third'] : ['first', 'second']
  expect(await linesOf(ending)).toEqual(said)
})

test('lines of one event-loop turn are written in order, before those of the next', async () => {
  const ending = "setImmediate(() => setImmediate(() => log.info('third')))"
  expect(await linesOf(ending)).toEqual(['first', 'second', 'third'])
})
