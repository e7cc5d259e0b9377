import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { Projector } from '../../src/projections/engine/projector.ts'
import { buildTestProgram } from '../kit/build-program.ts'
import { openStore } from './open-store.ts'
import { listProblems, projections, readTree } from './rig.ts'

const KILLS = 10
const WRITER = join(import.meta.dirname, 'killed-writer.ts')

test(`projections are complete after each start when the writer is killed ${KILLS} times`, async () => {
  const homes = Array.from({ length: 2 }, () => {
    const home = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    return home
  })

  const writer = await buildTestProgram(WRITER)

  const lines = await Promise.all(homes.map((home) => killRepeatedly(writer, home)))

  expect(Math.min(...lines)).toBeGreaterThan(100)
}, 180_000)

/** Returns the number of checked lines. */
async function killRepeatedly(writer: string, home: string): Promise<number> {
  let lines = 0
  for (let kill = 0; kill < KILLS / 2; kill += 1) {
    await writeAndKill([writer, home], 1 + ((kill * 17) % 60))
    await restart(home)
    const tree = readTree(join(home, 'system'))
    for (const [file, text] of Object.entries(tree)) lines += checkLines(file, text)
  }
  const before = readTree(join(home, 'system'))
  rmSync(join(home, 'system'), { recursive: true })
  await restart(home)
  expect(readTree(join(home, 'system'))).toEqual(before)
  return lines
}

/** The writer prints one character for each change. */
async function writeAndKill(program: readonly string[], afterChanges: number): Promise<void> {
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  let changes = 0
  const written = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      changes += chunk.length
      if (changes >= afterChanges) resolve()
    })
  })
  await Promise.race([written, gone])
  expect(child.exitCode, 'it was still writing').toBeNull()
  child.kill('SIGKILL')
  await gone
}

async function restart(home: string): Promise<void> {
  const store = openStore(home)
  const projector = new Projector({ store, home, projections, log: pino({ level: 'silent' }) })
  try {
    projector.start()
    await projector.waitUntilSettled()
    expect(await listProblems(store, home)).toEqual([])
  } finally {
    await projector.stop()
    store.close()
  }
}

/** Checks that every line is one complete object and occurs once. Returns the number of lines. */
function checkLines(file: string, text: string): number {
  if (!file.endsWith('.jsonl')) {
    if (file.endsWith('.json') && !file.includes('/draft/')) JSON.parse(text)
    return 0
  }
  expect(text.endsWith('\n'), file).toBe(true)
  const lines = text.trimEnd().split('\n')
  for (const line of lines) expect(() => JSON.parse(line), file).not.toThrow()
  expect(new Set(lines).size, file).toBe(lines.length)
  return lines.length
}
