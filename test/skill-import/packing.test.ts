import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type PackedFile, packZip } from '../../src/files/zip-writer.ts'
import { goodSkill } from './archive.ts'
import { aShelf, codes, lookThrough } from './scanning.ts'

const { shelf } = aShelf()

const fileOf = (path: string, content: string | Buffer): PackedFile => ({
  path,
  content: async () => Buffer.from(content),
})

const packed = async (files: readonly PackedFile[]): Promise<Buffer> =>
  Buffer.concat(await packZip(files).toArray())

const some = [fileOf('SKILL.md', goodSkill()), fileOf('assets/leer.txt', '')]

test('the same files make the same bytes on any day and in any time zone', async () => {
  const here = process.env['TZ']
  onTestFinished(() => {
    vi.useRealTimers()
    if (here === undefined) delete process.env['TZ']
    else process.env['TZ'] = here
  })
  const first = await packed(some)
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const [at, zone] of Intl.supportedValuesOf('timeZone').entries()) {
    process.env['TZ'] = zone
    vi.setSystemTime(at * 1e10)
    expect((await packed(some)).equals(first), zone).toBe(true)
  }
  expect((await packed(some.toReversed())).equals(first)).toBe(false)
})

test('what was packed is found again, whatever it is, and nothing is wrong with the archive', async () => {
  const contents = fc.uniqueArray(
    fc.tuple(fc.stringMatching(/^[a-zäß]{1,9}$/), fc.uint8Array({ maxLength: 3000 })),
    { maxLength: 6, selector: ([name]) => name },
  )
  const any = fc.asyncProperty(contents, async (given) => {
    const files = given.map(([name, bytes]) => fileOf(`assets/${name}.bin`, Buffer.from(bytes)))
    const outcome = await lookThrough(shelf(), await packed([...some, ...files]))
    expect(outcome.fatal).toBeUndefined()
    expect(codes(outcome).filter((code) => code.startsWith('ARCHIVE_'))).toEqual([])
    expect(outcome.report.bundle_summary?.file_count).toBe(files.length + some.length)
  })
  await fc.assert(any, { numRuns: 200 })
}, 60_000)

/** Noise, which does not become smaller, and who was asked for it. */
function asked(count: number) {
  const turns: number[] = []
  const noise = randomFillSync(Buffer.alloc(300_000))
  const files = Array.from({ length: count }, (_, at) => ({
    path: `n${at}`,
    content: async () => {
      turns.push(at)
      return noise
    },
  }))
  return { turns, files }
}

test('a file is asked for when its turn comes, and none for a reader who has left', async () => {
  const { turns, files } = asked(20)
  const archive = packZip(files)
  for (let waited = 0; waited < 50; waited += 1) await turn()
  expect(turns).toEqual([0])
  for await (const piece of archive) {
    expect(piece.length).toBeGreaterThan(0)
    if (turns.length === 3) break
  }
  for (let waited = 0; waited < 50; waited += 1) await turn()
  expect(turns.length).toBeLessThan(5)
})

test('a file that cannot be read ends the archive with the reason', async () => {
  const { files } = asked(3)
  const gone = { path: 'gone', content: () => Promise.reject(new Error('It is gone.')) }
  const archive = packZip([...files, gone, fileOf('last', 'x')])
  await expect(archive.toArray()).rejects.toThrow('It is gone.')
})
