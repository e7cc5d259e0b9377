import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import {
  createCommentReader,
  createDocumentReader,
  type WordComment,
  type XmlReader,
} from '../../knowledge/m365/word-readers.ts'
import { GraphFault } from './graph-client.ts'

/** A Word file is read in memory, so it must not be larger. */
export const LARGEST_DOCX = 32 << 20
const LARGEST_PART = 48 << 20
const MOST_ENTRIES = 5000
const DOCUMENT_PART = 'word/document.xml'
const COMMENT_PART = 'word/comments.xml'

export interface DocxParts {
  readonly text?: string | undefined
  readonly comments: readonly WordComment[]
}

/** Reads the text and the comments of a Word file. */
export async function readDocx(
  file: Buffer,
  wanted: { readonly text: boolean; readonly comments: boolean },
): Promise<DocxParts> {
  try {
    const zip = await fromBufferPromise(file, { autoClose: false })
    const parts = await findParts(zip)
    const document = parts.get(DOCUMENT_PART)
    if (document === undefined) throw unreadable()
    const comments = parts.get(COMMENT_PART)
    return {
      text: wanted.text ? await readPart(zip, document, createDocumentReader()) : undefined,
      comments: wanted.comments && comments !== undefined ? await readPart(zip, comments, createCommentReader()) : [],
    }
  } catch (error) {
    throw error instanceof GraphFault ? error : unreadable()
  }
}

async function findParts(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MOST_ENTRIES) throw unreadable()
  const found = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === DOCUMENT_PART || entry.fileName === COMMENT_PART) found.set(entry.fileName, entry)
  }
  return found
}

/** Pieces are parsed as they are unpacked, so that a large file does not block the daemon. */
async function readPart<T>(zip: ZipFile, entry: Entry, reader: XmlReader<T>): Promise<T> {
  if (entry.uncompressedSize > LARGEST_PART) throw tooLarge()
  const stream = await zip.openReadStreamPromise(entry)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > LARGEST_PART) throw tooLarge()
    reader.write(decoder.decode(piece, { stream: true }))
  }
  reader.write(decoder.decode())
  return reader.close()
}

const unreadable = (): GraphFault =>
  new GraphFault({
    reason_code: 'word_file_unreadable',
    message: 'The file is not a Word document that can be read.',
    is_answer: true,
  })

const tooLarge = (): GraphFault =>
  new GraphFault({
    reason_code: 'graph_too_large',
    message: 'The document is larger than the daemon accepts.',
    is_answer: true,
  })
