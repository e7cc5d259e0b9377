import { createHash, hash } from 'node:crypto'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { type DraftFile, listDraftFiles } from '../../store/proposals/draft-files.ts'
import type { RevisionFile } from '../../store/proposals/proposal-revisions.ts'

/** Told of a draft and no part of it: a draft that is looked at again stays the same draft. */
const besides = ['lint.json']

export const isOfDraft = ({ name }: Pick<DraftFile, 'name'>): boolean => !besides.includes(name)

/** Names a draft by all that it says. */
export function draftHash(files: readonly DraftFile[]): string {
  const digest = createHash('sha256')
  const own = files.filter(isOfDraft).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, content } of own) digest.update(`${name}\0${content}\0`)
  return digest.digest('hex')
}

export const fileFacts = ({ name, content }: DraftFile): RevisionFile => ({
  name,
  bytes: Buffer.byteLength(content),
  sha256: hash('sha256', content, 'hex'),
})

/** A JSON file of a draft; undefined when it has none of that name. */
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
