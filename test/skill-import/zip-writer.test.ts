import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type PackedFile, packZip } from '../../src/files/zip-writer.ts'
import { buildSkillDocument } from './zip-builder.ts'
import { openStorage, listCodes, scanArchive, unpackArchive } from './scan-kit.ts'
import { countRuns } from '../kit/count-runs.ts'

const { storage } = openStorage()

const toPackedFile = (path: string, content: string | Buffer): PackedFile => ({
  path,
  content: async () => Buffer.from(content),
})

const pack = async (files: readonly PackedFile[]): Promise<Buffer> => Buffer.concat(await packZip(files).toArray())

const some = [toPackedFile('SKILL.md', buildSkillDocument()), toPackedFile('assets/leer.txt', '')]

test('the same files in the same order give the same bytes on any day and in any time zone', async () => {
  const here = process.env['TZ']
  onTestFinished(() => {
    vi.useRealTimers()
    if (here === undefined) delete process.env['TZ']
    else process.env['TZ'] = here
  })
  const first = await pack(some)
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const [at, zone] of Intl.supportedValuesOf('timeZone').entries()) {
    process.env['TZ'] = zone
    vi.setSystemTime(at * 1e10)
    expect((await pack(some)).equals(first), zone).toBe(true)
  }
  expect((await pack(some.toReversed())).equals(first)).toBe(false)
})

test('a packed archive unpacks to the same files and has no archive findings', async () => {
  const contents = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-zäß]{1,9}$/), fc.uint8Array({ maxLength: 3000 })), {
    maxLength: 6,
    selector: ([name]) => name,
  })
  const any = fc.asyncProperty(contents, async (given) => {
    const files = given.map(([name, bytes]) => toPackedFile(`assets/${name}.bin`, Buffer.from(bytes)))
    const archive = await pack([...some, ...files])
    const unpacked = await unpackArchive(storage, archive)
    expect([...unpacked.keys()]).toEqual([...some, ...files].map(({ path }) => path))
    for (const [name, bytes] of given) {
      expect(unpacked.get(`assets/${name}.bin`)?.equals(bytes), name).toBe(true)
    }
    const outcome = await scanArchive(storage, archive)
    expect(outcome.fatal).toBeUndefined()
    expect(listCodes(outcome).filter((code) => code.startsWith('ARCHIVE_'))).toEqual([])
    expect(outcome.report.bundle_summary?.file_count).toBe(files.length + some.length)
  })
  await fc.assert(any, { numRuns: countRuns(200) })
}, 60_000)

/** Incompressible files, and the order in which their contents were read. */
function createNoiseFiles(count: number) {
  const reads: number[] = []
  const noise = randomFillSync(Buffer.alloc(300_000))
  const files = Array.from({ length: count }, (_, at) => ({
    path: `n${at}`,
    content: async () => {
      reads.push(at)
      return noise
    },
  }))
  return { reads, files }
}

test('files are read one at a time on demand, and no more after the reader stops', async () => {
  const { reads, files } = createNoiseFiles(20)
  const archive = packZip(files)
  for (let count = 0; count < 50; count += 1) await turn()
  expect(reads).toEqual([0])
  for await (const piece of archive) {
    expect(piece.length).toBeGreaterThan(0)
    if (reads.length === 3) break
  }
  for (let count = 0; count < 50; count += 1) await turn()
  expect(reads.length).toBeLessThan(5)
})

test('a file that cannot be read fails the archive with its error', async () => {
  const { files } = createNoiseFiles(3)
  const gone = { path: 'gone', content: () => Promise.reject(new Error('It is gone.')) }
  const archive = packZip([...files, gone, toPackedFile('last', 'x')])
  await expect(archive.toArray()).rejects.toThrow('It is gone.')
})
