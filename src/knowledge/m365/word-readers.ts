import { SaxesParser } from 'saxes'
import { clip, toTime } from './values.ts'

/** Reads XML that arrives in pieces. */
export interface XmlReader<T> {
  write(piece: string): void
  close(): T
}

const LONGEST_TEXT = 4_000_000
const LONGEST_PREVIEW = 500
/** More comments are not read. */
const MOST_COMMENTS = 5000

const readLocalName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** The text of a run of Word, without what was deleted and without the second form of drawings. */
class RunText {
  #inText = false
  #fallbacks = 0

  open(name: string): string {
    if (name === 'Fallback') this.#fallbacks += 1
    if (name === 't') this.#inText = true
    if (this.#fallbacks > 0) return ''
    return name === 'tab' ? '\t' : name === 'br' || name === 'cr' ? '\n' : ''
  }

  close(name: string): string {
    if (name === 'Fallback') this.#fallbacks -= 1
    if (name === 't') this.#inText = false
    return name === 'p' && this.#fallbacks === 0 ? '\n' : ''
  }

  read(text: string): string {
    return this.#inText && this.#fallbacks === 0 ? text : ''
  }
}

const createParser = (): SaxesParser => {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  return parser
}

/** Reads the text of a document, one line for each paragraph. */
export function createDocumentReader(): XmlReader<string> {
  const [parser, run, parts] = [createParser(), new RunText(), [] as string[]]
  let length = 0
  const add = (text: string): void => {
    if (text === '' || length >= LONGEST_TEXT) return
    parts.push(text)
    length += text.length
  }
  parser.on('opentag', ({ name }) => add(run.open(readLocalName(name))))
  parser.on('closetag', ({ name }) => add(run.close(readLocalName(name))))
  parser.on('text', (text) => add(run.read(text)))
  return {
    write: (piece) => void parser.write(piece),
    close: () => {
      parser.close()
      return parts.join('').slice(0, LONGEST_TEXT).trimEnd()
    },
  }
}

export interface WordComment {
  readonly comment_id: string
  readonly author?: string | undefined
  readonly created_at?: string | undefined
  readonly preview?: string | undefined
}

/** Reads the comments of a document in their order. */
export function createCommentReader(): XmlReader<WordComment[]> {
  const [parser, run, found] = [createParser(), new RunText(), [] as WordComment[]]
  let current: { readonly head: Omit<WordComment, 'preview'>; text: string } | undefined
  const add = (text: string): void => {
    if (current !== undefined && current.text.length < LONGEST_PREVIEW) current.text += text
  }
  parser.on('opentag', ({ name, attributes }) => {
    const local = readLocalName(name)
    if (local === 'comment' && found.length < MOST_COMMENTS) {
      current = { head: readHead(attributes), text: '' }
    }
    add(run.open(local))
  })
  parser.on('closetag', ({ name }) => {
    const local = readLocalName(name)
    add(run.close(local))
    if (local !== 'comment' || current === undefined) return
    const preview = current.text.trim().slice(0, LONGEST_PREVIEW)
    found.push({ ...current.head, preview: preview === '' ? undefined : preview })
    current = undefined
  })
  parser.on('text', (text) => add(run.read(text)))
  return {
    write: (piece) => void parser.write(piece),
    close: () => {
      parser.close()
      return found
    },
  }
}

function readHead(attributes: Readonly<Record<string, string>>): Omit<WordComment, 'preview'> {
  const byName = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [readLocalName(name), value]))
  return {
    comment_id: clip(byName['id']) || '0',
    author: clip(byName['author']) || undefined,
    created_at: toTime(byName['date']),
  }
}
