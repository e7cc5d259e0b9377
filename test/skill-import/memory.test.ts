import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createHome, type RunningDaemon, serve } from '../commands/program.ts'
import { buildSkillDocument, buildZip } from './zip-builder.ts'
import { buildForm, FORM_TYPE, type ScanReply, type UploadReply } from './import-kit.ts'

const MAX_GROWTH_KB = 150 * 1024

function readMemoryKb({ child }: RunningDaemon, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
}

async function startProgram() {
  const home = createHome()
  const daemon = await serve(home)
  const secret = readFileSync(join(home, 'secrets', 'admin.token'), 'utf8').trim()
  const post = (path: string, type: string, body: Buffer): Promise<{ status: number; json: unknown }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': type }
      const sent = request(daemon.url + path, { method: 'POST', headers }, (response) => {
        let text = ''
        response.on('data', (part) => (text += String(part)))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { daemon, home, post }
}

async function uploadAndScan({ post }: Awaited<ReturnType<typeof startProgram>>, bundle: Buffer) {
  const sent = await post('/api/skills/import/uploads', FORM_TYPE, buildForm(bundle))
  expect(sent.status, JSON.stringify(sent.json)).toBe(201)
  const { temp_artifact_ref } = (sent.json as UploadReply).temp_artifact
  const body = JSON.stringify({ source: 'manual_upload', temp_artifact_ref })
  const found = await post('/api/skills/import/scan', 'application/json', Buffer.from(body))
  expect(found.status, JSON.stringify(found.json)).toBe(200)
  return found.json as ScanReply
}

const skill = { name: 'SKILL.md', content: buildSkillDocument() }

test('a bundle of 100 MB is uploaded and scanned with bounded memory', async () => {
  const program = await startProgram()
  const noise = randomFillSync(Buffer.alloc(24 << 20))
  const text = Buffer.alloc(3 << 20, 'some words of an ordinary text file\n')
  const entries = [
    skill,
    ...[0, 1, 2].map((at) => ({ name: `assets/noise-${at}.bin`, content: noise, stored: true })),
    { name: 'assets/last.bin', content: noise.subarray(0, 22 << 20), stored: true },
    { name: 'references/long.txt', content: text, stored: true },
  ]
  const bundle = buildZip(entries)
  expect(bundle.length).toBeGreaterThan(96 << 20)
  expect(bundle.length).toBeLessThanOrEqual(100 << 20)
  const before = readMemoryKb(program.daemon, 'VmRSS')
  const { import_record } = await uploadAndScan(program, bundle)
  expect(import_record.stage_state).toBe('scan_complete')
  const growth = readMemoryKb(program.daemon, 'VmHWM') - before
  process.stdout.write(`upload of 100 MB: +${Math.round(growth / 1024)} MB\n`)
  expect(growth).toBeLessThan(MAX_GROWTH_KB)
}, 120_000)

test('zip bombs are detected with bounded memory', async () => {
  const program = await startProgram()
  const packed = deflateRawSync(Buffer.alloc(48 << 20))
  const understated = { name: 'assets/a', packed, size: 2 << 20, crc: 1 }
  const declared = { name: 'assets/b', packed, size: 48 << 20, crc: 1 }
  const before = readMemoryKb(program.daemon, 'VmRSS')
  for (const [bomb, code] of [
    [understated, 'ARCHIVE_SIZE_MISMATCH'],
    [declared, 'ARCHIVE_RATIO_SUSPICIOUS'],
  ] as const) {
    const { import_record } = await uploadAndScan(program, buildZip([skill, bomb]))
    expect(import_record).toMatchObject({ stage_state: 'scan_failed', last_error_code: code })
  }
  const growth = readMemoryKb(program.daemon, 'VmHWM') - before
  process.stdout.write(`bombs: +${Math.round(growth / 1024)} MB\n`)
  expect(growth).toBeLessThan(MAX_GROWTH_KB)
  expect(readdirSync(join(program.home, 'imports')).toSorted()).toEqual(['tmp'])
}, 120_000)
