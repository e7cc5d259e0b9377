import { wordsOf } from './words.ts'

/** A goal whose end can be read from a screen. */
export type Goal =
  | { readonly kind: 'switch'; readonly subject: string; readonly on: boolean }
  | { readonly kind: 'set'; readonly subject: string; readonly value: string }
  | { readonly kind: 'open'; readonly subject: string }
  | {
      readonly kind: 'create'
      readonly subject: string
      readonly text: string
      /** What it is to be called, where that was said beside its text. */
      readonly title?: string | undefined
    }

export type GoalReading =
  | { readonly clear: true; readonly goal: Goal }
  | { readonly clear: false; readonly reason: string }

type Reader = (text: string) => Goal | undefined

/**
 * What a person wants, in a form that can be proven. No guess is made: a sentence of another form is refused with
 * what would be understood.
 */
export function readGoal(said: string): GoalReading {
  if (said.length > maxGoal) return unclear(`A goal has at most ${maxGoal} characters.`)
  const text = said
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .replace(/^(?:please|can you|could you)\s+/iu, '')
    .replace(/(?<=[^.!?])[.!?]+$/u, '')
  for (const read of readers) {
    const goal = read(text)
    if (goal !== undefined && wordsOf(goal.subject).length > 0) return { clear: true, goal }
  }
  return unclear(
    'The end of this goal cannot be read from a screen. Say "turn on ...", "set ... to ...", ' +
      '"open ..." or "create a ... saying ...".',
  )
}

/** What will have to be seen, in plain words. */
export function proofOf(goal: Goal): string {
  switch (goal.kind) {
    case 'switch':
      return `"${goal.subject}" is switched ${goal.on ? 'on' : 'off'} after the app was started anew.`
    case 'set':
      return `"${goal.subject}" shows "${goal.value}" after the app was started anew.`
    case 'open':
      return `A screen called "${goal.subject}" is open.`
    case 'create':
      return `"${goal.title ?? goal.text}" is shown after the app was started anew.`
  }
}

const maxGoal = 400

const unclear = (reason: string): GoalReading => ({ clear: false, reason })

const turn: Reader = (text) => {
  const [, first, rest = ''] =
    /^(?:turn|switch) (on|off) (.+)$/iu.exec(text) ??
    swapped(/^(?:turn|switch) (.+) (on|off)$/iu, text)
  if (first === undefined) return undefined
  return { kind: 'switch', subject: plain(rest), on: first.toLowerCase() === 'on' }
}

const swapped = (pattern: RegExp, text: string): readonly (string | undefined)[] => {
  const [, subject, state] = pattern.exec(text) ?? []
  return [undefined, state, subject]
}

const enable: Reader = (text) => {
  const [, verb = '', subject = ''] = /^((?:de)?activate|enable|disable) (.+)$/iu.exec(text) ?? []
  if (subject === '') return undefined
  return { kind: 'switch', subject: plain(subject), on: !/^d/iu.test(verb) }
}

const set: Reader = (text) => {
  const [, subject = '', value = ''] = /^(?:set|change|adjust|put) (.+) to (.+)$/iu.exec(text) ?? []
  if (value === '') return undefined
  const wanted = unquoted(value)
  if (/^(?:on|off)$/iu.test(wanted)) {
    return { kind: 'switch', subject: plain(subject), on: wanted.toLowerCase() === 'on' }
  }
  return wanted === '' ? undefined : { kind: 'set', subject: plain(subject), value: wanted }
}

const open: Reader = (text) => {
  const [, subject = ''] = /^(?:open|show|go to|navigate to) (.+)$/iu.exec(text) ?? []
  if (subject === '') return undefined
  return { kind: 'open', subject: plain(subject.replace(/ (?:screen|page)$/iu, '')) }
}

const naming = 'called|named|titled|with the title|with title'
const saying = 'saying|that says|reading|with the text|with text|with the body'

const create: Reader = (text) => {
  const [, subject = '', rest = ''] =
    new RegExp(
      `^(?:create|add|write|make)(?: a| an)?(?: new)? (.+?) ((?:${naming}|${saying}) .+)$`,
      'iu',
    ).exec(text) ?? []
  if (subject === '') return undefined
  const title = partAfter(rest, naming, saying)
  const body = partAfter(rest, saying, naming)
  const said = body ?? title
  if (said === undefined) return undefined
  return {
    kind: 'create',
    subject: plain(subject),
    text: said,
    ...(title === undefined || body === undefined ? {} : { title }),
  }
}

const readers: readonly Reader[] = [turn, enable, set, open, create]

/** What follows one of these words, up to one of those. */
function partAfter(text: string, words: string, others: string): string | undefined {
  const pattern = new RegExp(`(?:^| )(?:${words}) (.+?)(?= (?:and )?(?:${others}) |$)`, 'iu')
  const part = unquoted(pattern.exec(text)?.[1] ?? '')
  return part === '' ? undefined : part
}

const plain = (text: string): string => unquoted(text.replace(/^(?:the|my|a|an) /iu, ''))

/** A value in quotes is what stands between them. */
const unquoted = (text: string): string =>
  (/^["'“‘«](.*)["'”’»]$/u.exec(text.trim())?.[1] ?? text).trim()
