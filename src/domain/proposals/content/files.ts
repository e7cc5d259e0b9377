import { createHash, hash } from 'node:crypto'
import { Failure } from '../../../failure/failure.ts'
import type { Reader } from '../../../store/db/db.ts'
import { type DraftFile, listDraftFiles } from '../../../store/proposals/draft-files.ts'
import type { RevisionFile } from '../../../store/proposals/proposal-revisions.ts'

/** Files about a draft that do not belong to it: writing them does not change the hash of the draft. */
const NOT_IN_DRAFT = ['lint.json']

export const isDraftPart = ({ name }: Pick<DraftFile, 'name'>): boolean => !NOT_IN_DRAFT.includes(name)

/** The hash of all files of a draft. */
export function hashDraft(files: readonly DraftFile[]): string {
  const digest = createHash('sha256')
  const own = files.filter(isDraftPart).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, content } of own) digest.update(`${name}\0${content}\0`)
  return digest.digest('hex')
}

export const describeFile = ({ name, content }: DraftFile): RevisionFile => ({
  name,
  bytes: Buffer.byteLength(content),
  sha256: hash('sha256', content, 'hex'),
})

/** Parses a JSON file of a draft. Returns undefined if there is no such file. */
export function readDraftJson(
  files: readonly DraftFile[],
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const content = files.find((file) => file.name === name)?.content
  return content === undefined ? undefined : (JSON.parse(content) as Record<string, unknown>)
}

export function getDraftFile(reader: Reader, proposalId: string, name: string): DraftFile {
  const file = listDraftFiles(reader, proposalId).find((one) => one.name === name)
  if (file === undefined) throw new Failure('DRAFT_FILE_NOT_FOUND', `The draft has no ${name}.`)
  return file
}
