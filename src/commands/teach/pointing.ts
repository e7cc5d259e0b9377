import { z } from 'zod'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import {
  ElementBounds,
  type ElementMark,
  type ElementMarkKind,
  markElement,
} from '@apprentice/contracts/learn/elements.ts'
import type { TeachDialog } from './teach-dialog.ts'

export type PointingVerb = 'proves' | 'return' | 'input' | 'always'

interface Pointing {
  readonly kind: ElementMarkKind
  /** The words of the element. */
  readonly words: string
  readonly name?: string
  readonly value_type?: 'list'
}

const KINDS: Readonly<Record<PointingVerb, ElementMarkKind>> = {
  proves: 'proof',
  return: 'output',
  input: 'input',
  always: 'constant',
}

/** Reads the rest of a command line: the words of an element and, for a value to return, its name. */
export function parsePointing(verb: PointingVerb, text: string): Pointing {
  const kind = KINDS[verb]
  if (kind !== 'output') return { kind, words: text }
  const [, all, words = text, name] = /^(all\s+)?(.*?)(?:\s+as\s+([A-Za-z][A-Za-z0-9_]{0,63}))?$/u.exec(text) ?? []
  return {
    kind,
    words,
    ...(name === undefined ? {} : { name }),
    ...(all === undefined ? {} : { value_type: 'list' as const }),
  }
}

/** Points at an element of the current screen by its words. Several matches are listed to choose from. */
export async function pointAt(dialog: TeachDialog, verb: PointingVerb, text: string): Promise<void> {
  const { words, ...mark } = parsePointing(verb, text)
  if (words === '') {
    dialog.print(`Name the element by its words: ${verb} <text>`)
    return
  }
  const send = (element: object) =>
    dialog.call(markElement, { params: dialog.params, body: { ...mark, element: { screen: 'now', ...element } } })
  const made = await findByWords(send, words).catch((error: unknown) => chooseCandidate(dialog, send, error))
  if (made !== undefined) dialog.print(describeMark(made.mark))
}

type Send = (element: object) => Promise<{ readonly mark: ElementMark }>

/** The whole label counts more than a part of one. */
async function findByWords(send: Send, words: string): Promise<{ readonly mark: ElementMark }> {
  try {
    return await send({ selector: { anyOf: [{ textEquals: words }, { contentDescEquals: words }] } })
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'ELEMENT_NOT_FOUND') throw error
    return send({ selector: { anyOf: [{ textContains: words }, { contentDescContains: words }] } })
  }
}

const Candidates = z.array(z.object({ path: z.string(), label: z.string(), bounds: ElementBounds.nullable() }))

async function chooseCandidate(dialog: TeachDialog, send: Send, error: unknown) {
  if (!(error instanceof ApiFailure) || error.code !== 'ELEMENT_AMBIGUOUS') throw error
  const candidates = Candidates.parse(error.details['candidates'])
  dialog.print('Several elements show that:')
  for (const [at, { label, bounds }] of candidates.entries()) {
    const place = bounds === null ? '' : ` (at ${bounds.left}, ${bounds.top})`
    dialog.print(`  ${at + 1}. ${label}${place}`)
  }
  const answer = await dialog.conversation.ask('Which one? (a number)')
  const chosen = candidates[Number(answer) - 1]
  if (chosen === undefined) {
    dialog.print('Nothing was marked.')
    return undefined
  }
  return send({ path: chosen.path })
}

function describeMark({ kind, label, name, value_type }: ElementMark): string {
  switch (kind) {
    case 'proof':
      return `Saved: "${label}" proves it.`
    case 'output':
      return `Saved: runs return ${value_type === 'list' ? 'all values like ' : ''}"${label}"${name === undefined ? '' : ` as ${name}`}.`
    case 'input':
      return `Saved: "${label}" is different each time.`
    case 'constant':
      return `Saved: "${label}" is always the same.`
  }
}
