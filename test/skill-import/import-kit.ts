import { Buffer } from 'node:buffer'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { z } from 'zod'
import type { ImportedSkillRecord } from '@apprentice/contracts/skills/import-record.ts'
import type { getImport, scanBundle, uploadBundle } from '@apprentice/contracts/skills/imports.ts'
import type { Daemon } from '../kit/daemon.ts'
import { buildBundle, buildZip, type ZipEntrySpec } from './zip-builder.ts'
import { buildForm, FORM_TYPE, type UploadOptions } from './upload-form.ts'

export { buildForm, FORM_TYPE, type UploadOptions } from './upload-form.ts'

export type UploadReply = z.output<(typeof uploadBundle)['reply']>
export type ScanReply = z.output<(typeof scanBundle)['reply']>
export type ImportDetail = z.output<(typeof getImport)['reply']>

export function postUpload(daemon: Daemon, bundle: Buffer, options: UploadOptions = {}) {
  return daemon.request({
    method: 'POST',
    url: '/api/skills/import/uploads',
    headers: { 'content-type': FORM_TYPE },
    payload: buildForm(bundle, options),
    ...(options.token === undefined ? {} : { token: options.token }),
  })
}

export async function upload(
  daemon: Daemon,
  entries: readonly ZipEntrySpec[] | Buffer = buildBundle(),
  options: UploadOptions = {},
): Promise<UploadReply> {
  const bytes = Buffer.isBuffer(entries) ? entries : buildZip(entries)
  const reply = await postUpload(daemon, bytes, options)
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<UploadReply>()
}

export async function scanUpload(daemon: Daemon, { temp_artifact }: UploadReply, token?: string): Promise<ScanReply> {
  const { temp_artifact_ref } = temp_artifact
  const body = { source: 'manual_upload', temp_artifact_ref }
  const reply = await daemon.post('/api/skills/import/scan', body, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ScanReply>()
}

export async function uploadAndScan(
  daemon: Daemon,
  entries: readonly ZipEntrySpec[] | Buffer = buildBundle(),
): Promise<ScanReply> {
  return scanUpload(daemon, await upload(daemon, entries))
}

export const runCommand = (daemon: Daemon, verb: string, body: object, token?: string) =>
  daemon.post(`/api/skills/import/${verb}`, body, token)

/** Sends one command for an import and expects success. */
export async function runStep(daemon: Daemon, verb: string, body: object): Promise<ImportedSkillRecord> {
  const reply = await runCommand(daemon, verb, body)
  expect(reply.statusCode, `${verb}: ${reply.body}`).toBe(200)
  return reply.json<{ import_record: ImportedSkillRecord }>().import_record
}

/** Uploads, scans and stages a bundle, which is then ready for review. */
export async function importAndStage(
  daemon: Daemon,
  entries: readonly ZipEntrySpec[] | Buffer = buildBundle(),
): Promise<ImportedSkillRecord> {
  const { import_record, compatibility_report } = await uploadAndScan(daemon, entries)
  expect(compatibility_report.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  return runStep(daemon, 'stage', { import_id: import_record.import_id })
}

export async function getDetail(daemon: Daemon, importId: string): Promise<ImportDetail> {
  const reply = await daemon.get(`/api/skills/import/${importId}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ImportDetail>()
}

export const listReportCodes = ({ compatibility_report }: Pick<ScanReply, 'compatibility_report'>): string[] => [
  ...new Set(compatibility_report.findings.map(({ code }) => code)),
]

/** The error code of a reply, or `done` for a success. */
export const readOutcome = (reply: { body: string; statusCode: number }): string =>
  reply.statusCode < 300 ? 'done' : (JSON.parse(reply.body) as { error: { code: string } }).error.code

/** The number of files of imported skills in the store. */
export function countStoredFiles({ home }: Daemon): number {
  const folder = join(home, 'skill-files')
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  return entries.filter((entry) => entry.isFile()).length
}
