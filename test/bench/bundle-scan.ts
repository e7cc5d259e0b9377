import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BundleScan } from '../../src/knowledge/bundle-scan/bundle-scan.ts'
import { BundleStorage } from '../../src/files/bundle-storage.ts'
import { buildSkillDocument, buildZip, type ZipEntrySpec } from '../skill-import/zip-builder.ts'
import { compareRates, type Figure, median } from './figure.ts'

interface Bench {
  readonly home: string
  readonly file: string
  readonly ref: string
  readonly bytes: number
}

const TURNS = 5
let bench: Bench | undefined

/** Scanning every byte of a bundle with all rules. */
export const bundleScan: Figure = {
  name: 'bundle scan',
  baseline: 'unzip -t on the same archive, which only unpacks it',
  run: async () => {
    bench ??= createBench()
    const [ours, theirs]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < TURNS; turn += 1) {
      theirs.push(measureMs(() => execFileSync('unzip', ['-tqq', bench?.file ?? ''])))
      const started = performance.now()
      await scan(bench)
      ours.push(performance.now() - started)
    }
    const rate = (times: readonly number[]) => (bench?.bytes ?? 0) / 1e3 / median(times)
    return [
      compareRates(0.5, {
        what: 'unpacked bytes',
        ours: rate(ours),
        baseline: rate(theirs),
        unit: 'MB/s',
      }),
    ]
  },
  close: () => {
    if (bench !== undefined) rmSync(bench.home, { recursive: true, force: true })
    bench = undefined
  },
}

function measureMs(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

async function scan({ home, ref }: Bench): Promise<void> {
  const bundle = await new BundleStorage(home).open(ref)
  const none: ReadonlySet<string> = new Set()
  const bundleScanner = new BundleScan({
    source: 'manual_upload',
    content_hash_sha256: '0'.repeat(64),
    skill_names: none,
    native_names: none,
    agent_names: none,
    capability_ids: none,
    tool_names: none,
    namespaces: none,
    triggers: [],
    imported_before: false,
    packs: none,
    connectors: none,
    support_packs: none,
    blocked_terms: ['nightjar'],
  })
  for (const entry of bundleScanner.chooseEntries(bundle.entries, bundle.hidden_bytes)) {
    const file = bundleScanner.openFile(entry)
    for await (const piece of bundle.unpack(entry)) file.push(piece)
    bundleScanner.addFile(file.finish())
  }
  await bundle.close()
  const { report } = bundleScanner.finish()
  if (!report.compatible) throw new Error(`The bundle is not compatible: ${JSON.stringify(report.findings[0])}`)
}

/** Guides, tables and images, as in a large skill. */
function createBench(): Bench {
  const home = mkdtempSync(join(tmpdir(), 'bench-scan-'))
  const ref = `tmpart_${randomUUID()}`
  const folder = join(home, 'imports', 'tmp')
  mkdirSync(folder, { recursive: true })
  const entries: ZipEntrySpec[] = [
    { name: 'SKILL.md', content: buildSkillDocument() },
    ...Array.from({ length: 200 }, (_, at) => ({
      name: `references/guide-${at}.md`,
      content: generateProse(at, 30_000),
    })),
    ...Array.from({ length: 20 }, (_, at) => ({
      name: `assets/table-${at}.csv`,
      content: generateProse(at + 500, 1_000_000),
    })),
    ...Array.from({ length: 10 }, (_, at) => ({
      name: `assets/picture-${at}.png`,
      content: generatePixels(at, 3_000_000),
    })),
  ]
  const file = join(folder, ref)
  writeFileSync(file, buildZip(entries))
  const bytes = entries.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), 0)
  return { home, file, ref, bytes }
}

const VOCABULARY =
  'the notes of a day are in one list and somebody reads them before the meeting starts so that nothing is lost when a page turns 12 48 Lobby Kitchen set temperature report'.split(
    ' ',
  )

function generateProse(seed: number, length: number): string {
  const words: string[] = []
  let [state, size] = [seed + 1, 0]
  while (size < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const word = VOCABULARY[state % VOCABULARY.length] ?? ''
    words.push(state % 13 === 0 ? `${word}.\n` : word)
    size += word.length + 1
  }
  return words.join(' ')
}

/** Bytes that compress badly. */
function generatePixels(seed: number, length: number): Buffer {
  const values = new Uint32Array(length / 4)
  let state = seed + 0x9e_37_79_b9
  for (let at = 1; at < values.length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c_1b_3c_6d) + at
    values[at] = state
  }
  return Buffer.from(values.buffer)
}
