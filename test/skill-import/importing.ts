import { Buffer } from 'node:buffer'
import { expect } from 'vitest'
import type { z } from 'zod'
import type { ImportedSkillRecord } from '@apprentice/contracts/skills/import-record.ts'
import type { getImport, scanBundle, uploadBundle } from '@apprentice/contracts/skills/imports.ts'
import type { Daemon } from '../kit/daemon.ts'
import { goodBundle, makeZip, type MadeEntry } from './archive.ts'

export type Uploaded = z.output<(typeof uploadBundle)['reply']>
export type Scanned = z.output<(typeof scanBundle)['reply']>
export type Detail = z.output<(typeof getImport)['reply']>

export interface Sent {
  readonly filename?: string
  readonly type?: string
  readonly metadata?: object | string
  readonly token?: string
}

const boundary = 'form-boundary-7c1'

/** A form as a browser would send it. */
export function form(
  bundle: Buffer,
  { filename = 'tidy-notes.zip', type = 'application/zip', metadata }: Sent = {},
): Buffer {
  const told = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
  return Buffer.concat([
    ...(metadata === undefined
      ? []
      : [
          Buffer.from(
            `--${boundary}\r\ncontent-disposition: form-data; name="metadata"\r\ncontent-type: application/json\r\n\r\n${told}\r\n`,
          ),
        ]),
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="bundle"; filename="${filename}"\r\ncontent-type: ${type}\r\n\r\n`,
    ),
    bundle,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

export const formType = `multipart/form-data; boundary=${boundary}`

export function send(daemon: Daemon, bundle: Buffer, sent: Sent = {}) {
  return daemon.request({
    method: 'POST',
    url: '/api/skills/import/uploads',
    headers: { 'content-type': formType },
    payload: form(bundle, sent),
    ...(sent.token === undefined ? {} : { token: sent.token }),
  })
}

export async function upload(
  daemon: Daemon,
  entries: readonly MadeEntry[] | Buffer = goodBundle(),
  sent: Sent = {},
): Promise<Uploaded> {
  const bytes = Buffer.isBuffer(entries) ? entries : makeZip(entries)
  const reply = await send(daemon, bytes, sent)
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<Uploaded>()
}

export async function scan(
  daemon: Daemon,
  { temp_artifact }: Uploaded,
  token?: string,
): Promise<Scanned> {
  const { temp_artifact_ref } = temp_artifact
  const body = { source: 'manual_upload', temp_artifact_ref }
  const reply = await daemon.post('/api/skills/import/scan', body, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<Scanned>()
}

/** Uploads and scans; returns what was found. */
export async function scanned(
  daemon: Daemon,
  entries: readonly MadeEntry[] | Buffer = goodBundle(),
): Promise<Scanned> {
  return scan(daemon, await upload(daemon, entries))
}

export const runCommand = (daemon: Daemon, verb: string, body: object, token?: string) =>
  daemon.post(`/api/skills/import/${verb}`, body, token)

/** Does one step with an import and expects success. */
export async function done(
  daemon: Daemon,
  verb: string,
  body: object,
): Promise<ImportedSkillRecord> {
  const reply = await runCommand(daemon, verb, body)
  expect(reply.statusCode, `${verb}: ${reply.body}`).toBe(200)
  return reply.json<{ import_record: ImportedSkillRecord }>().import_record
}

/** A bundle that waits for review. */
export async function staged(
  daemon: Daemon,
  entries: readonly MadeEntry[] | Buffer = goodBundle(),
): Promise<ImportedSkillRecord> {
  const { import_record, compatibility_report } = await scanned(daemon, entries)
  expect(compatibility_report.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  return done(daemon, 'stage', { import_id: import_record.import_id })
}

export async function detail(daemon: Daemon, importId: string): Promise<Detail> {
  const reply = await daemon.get(`/api/skills/import/${importId}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<Detail>()
}

export const codesOf = ({
  compatibility_report,
}: Pick<Scanned, 'compatibility_report'>): string[] => [
  ...new Set(compatibility_report.findings.map(({ code }) => code)),
]

export const refusal = (reply: { body: string; statusCode: number }): string =>
  reply.statusCode < 300
    ? 'done'
    : (JSON.parse(reply.body) as { error: { code: string } }).error.code
