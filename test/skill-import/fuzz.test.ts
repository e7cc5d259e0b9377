import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FINDING_TABLE } from '@apprentice/contracts/skills/import-findings.ts'
import { PortableFrontmatter, SkillCompatibilityReport } from '@apprentice/contracts/skills/import-record.ts'
import { Findings } from '../../src/knowledge/bundle-scan/findings.ts'
import { normalizeFrontmatter } from '../../src/knowledge/bundle-scan/frontmatter.ts'
import { MalformedForm, type FormPart, readForm, registerForms } from '../../src/http/multipart-form.ts'
import { buildBundle, buildSkillDocument, buildZip } from './zip-builder.ts'
import { openStorage, scanArchive } from './scan-kit.ts'
import { countRuns } from '../kit/count-runs.ts'

const { storage } = openStorage()

/** True when the scan returns a report that matches its contract. */
async function yieldsValidReport(archive: Buffer): Promise<boolean> {
  const { report, fatal } = await scanArchive(storage, archive)
  const known = report.findings.every(({ code }) => code in FINDING_TABLE)
  const refused = fatal === undefined || !report.compatible
  return SkillCompatibilityReport.safeParse(report).success && known && refused
}

describe('the scan of an archive', () => {
  const good = buildZip(buildBundle())

  const change = fc.record({
    at: fc.nat({ max: good.length - 1 }),
    byte: fc.nat({ max: 255 }),
    kind: fc.constantFrom('set', 'set', 'set', 'insert', 'drop', 'cut'),
  })

  function applyChanges(changes: readonly { at: number; byte: number; kind: string }[]): Buffer {
    let bytes = Buffer.from(good)
    for (const { at, byte, kind } of changes) {
      const place = Math.min(at, bytes.length)
      if (kind === 'set' && place < bytes.length) bytes[place] = byte
      if (kind === 'insert')
        bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)])
      if (kind === 'drop') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1 + (byte % 8))])
      if (kind === 'cut') bytes = bytes.subarray(0, place)
    }
    return bytes
  }

  test('with random damage yields a valid report', async () => {
    const damaged = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      expect(await yieldsValidReport(applyChanges(changes))).toBe(true)
    })
    await fc.assert(damaged, { numRuns: countRuns(1000) })
  }, 60_000)

  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom('../x', 'a/../../x', '/x', String.raw`a\b`, 'C:x', 'SKILL.md', 'scripts/run.sh', '.env', 'a/b/c'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  const entry = fc.record(
    {
      name: text,
      content: fc.oneof(
        fc.constant(buildSkillDocument()),
        fc.string({ maxLength: 400 }),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      ),
      mode: fc.constantFrom(0o100644, 0o100755, 0o120777, 0o040755, 0o104755, 0, 0o020666),
      flags: fc.constantFrom(0, 0x08_00, 1, 8, 0x20_00),
      size: fc.nat({ max: 2 ** 32 - 1 }),
      compressed: fc.nat({ max: 5000 }),
      method: fc.constantFrom(0, 8, 12),
    },
    { requiredKeys: ['name'] },
  )

  test('with random entries yields a valid report', async () => {
    const odd = fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
      const archive = buildZip([{ name: 'SKILL.md', content: buildSkillDocument() }, ...entries])
      expect(await yieldsValidReport(archive)).toBe(true)
    })
    await fc.assert(odd, { numRuns: countRuns(1200) })
  }, 60_000)

  test('of random bytes yields a valid report', async () => {
    const noise = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await yieldsValidReport(Buffer.concat([Buffer.from('PK\u0003\u0004'), bytes]))).toBe(true)
    })
    await fc.assert(noise, { numRuns: countRuns(1000) })
  }, 60_000)
})

describe('the header of SKILL.md', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 700 }),
    fc.array(fc.string({ maxLength: 250 }), { maxLength: 5 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
  )
  const keys = [...Object.keys(PortableFrontmatter.shape), 'skill_pack', 'tags', '__proto__', 'x y']
  const header = fc.dictionary(fc.constantFrom(...keys), value)

  test('with random values is normalized idempotently or has an error finding', () => {
    const any = fc.property(header, (given) => {
      const findings = new Findings()
      const good = { name: 'a-skill', description: 'Use when testing', ...given }
      const { frontmatter } = normalizeFrontmatter(good, { body: '' }, findings)
      if (frontmatter === undefined) {
        expect(findings.compatible).toBe(false)
        return
      }
      const again = normalizeFrontmatter({ ...frontmatter }, { body: '' }, new Findings())
      expect(again.frontmatter).toEqual(frontmatter)
    })
    fc.assert(any, { numRuns: countRuns(1000) })
  }, 60_000)
})

describe('a multipart form', () => {
  const part = fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(Buffer.from('\r\n'), Buffer.from('\r\n--'), Buffer.from('--b'), Buffer.from('\r\n--')),
    ),
  })

  function* splitInto(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
    let at = 0
    for (let turn = 0; at < bytes.length; turn += 1) {
      const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
      yield bytes.subarray(at, at + size)
      at += size
    }
  }

  type Outcome = { name: string | undefined; body: Buffer }[] | Error

  /** Starts a server that returns the parts of a form sent in chunks. */
  async function startFormReader() {
    const app = Fastify()
    let outcome: Outcome = []
    await registerForms(app)
    app.post('/', async (request) => {
      outcome = await collect(readForm(request)).catch((error: Error) => error)
      return {}
    })
    await app.ready()
    onTestFinished(() => app.close())
    return async (payload: Iterable<Buffer>, boundary: string): Promise<Outcome> => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      await app.inject({ method: 'POST', url: '/', headers, payload: Readable.from(payload) })
      return outcome
    }
  }

  async function collect(form: AsyncIterable<FormPart>) {
    const found: { name: string | undefined; body: Buffer }[] = []
    for await (const { name, body } of form) {
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
      found.push({ name, body: Buffer.concat(chunks) })
    }
    return found
  }

  test('is read completely, however it is split', async () => {
    const read = await startFormReader()
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })
    const any = fc.asyncProperty(fc.array(part, { maxLength: 4 }), sizes, async (parts, cut) => {
      const boundary = 'b-9134'
      const sent = Buffer.concat([
        ...parts.flatMap(({ name, body }) => [
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
          body,
          Buffer.from('\r\n'),
        ]),
        Buffer.from(`--${boundary}--\r\n`),
      ])
      expect(await read(splitInto(sent, cut), boundary)).toEqual(parts)
    })
    await fc.assert(any, { numRuns: countRuns(1000) })
  }, 60_000)

  test('of random bytes is rejected', async () => {
    const read = await startFormReader()
    const any = fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (noise) => {
      expect(await read(splitInto(Buffer.from(noise), [7]), 'b')).toBeInstanceOf(MalformedForm)
    })
    await fc.assert(any, { numRuns: countRuns(500) })
  }, 60_000)
})
