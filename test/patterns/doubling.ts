import { ENDINGS, listPumps } from './pump-texts.ts'

/** Exponential time shows at one of them before it takes seconds; the last two show higher polynomials. */
const SHORT_LENGTHS = [14, 17, 20, 23, 26, 100, 400]
/** A linear pattern takes microseconds on a short text. */
const EXPLOSION_MS = 10
/** So long that a pattern of quadratic time takes milliseconds. */
const FIRST_LENGTH = 2000
const SUSPICIOUS_MS = 1
const SUSPICIOUS_SUM_MS = 3
const LONGEST = 256_000
const MEASURABLE_MS = 10
/** What is shorter cannot be measured. */
const SHORTEST_MS = 0.1
/** Four times the length takes 4 times as long in linear time and 16 times in quadratic time. */
const MAX_GROWTH = 8

export interface SlowPattern {
  readonly pump: string
  readonly ending: string
  readonly length: number
  readonly took_ms: number
  /** How much longer four times the text takes. */
  readonly growth: number
}

/** Finds a text on which the pattern takes more than linear time, by doubling texts of repeated parts. */
export function findSlowText(pattern: RegExp): SlowPattern | undefined {
  const pumps = listPumps(pattern.source)
  return findExplosion(pattern, pumps) ?? findGrowth(pattern, pumps)
}

/** Finds a short text that takes long: exponential time, or a polynomial of a high degree. */
function findExplosion(pattern: RegExp, pumps: readonly string[]): SlowPattern | undefined {
  for (const length of SHORT_LENGTHS) {
    const texts = buildTexts(pumps, length)
    if (timeAll(pattern, texts) < EXPLOSION_MS) continue
    for (const { pump, ending, text } of texts) {
      const took_ms = timeBest(pattern, text)
      if (took_ms >= EXPLOSION_MS) return { pump, ending, length, took_ms, growth: Number.POSITIVE_INFINITY }
    }
  }
  return undefined
}

function findGrowth(pattern: RegExp, pumps: readonly string[]): SlowPattern | undefined {
  const texts = buildTexts(pumps, FIRST_LENGTH)
  // All at once, because most patterns are fast on all of them.
  if (timeAll(pattern, texts) < SUSPICIOUS_SUM_MS) return undefined
  for (const { pump, ending, text } of texts) {
    if (time(pattern, text) < SUSPICIOUS_MS) continue
    const slow = measureGrowth(pattern, pump, ending)
    if (slow !== undefined) return slow
  }
  return undefined
}

/** Doubles the text until it takes a measurable time, and compares with a quarter of it. */
function measureGrowth(pattern: RegExp, pump: string, ending: string): SlowPattern | undefined {
  for (let length = FIRST_LENGTH; length <= LONGEST; length *= 2) {
    const took_ms = timeBest(pattern, buildText(pump, ending, length))
    if (took_ms < MEASURABLE_MS) continue
    const quarter = timeBest(pattern, buildText(pump, ending, length / 4))
    const growth = took_ms / Math.max(quarter, SHORTEST_MS)
    if (growth > MAX_GROWTH) return { pump, ending, length, took_ms, growth }
    if (length >= FIRST_LENGTH * 16) return undefined
  }
  return undefined
}

const buildTexts = (pumps: readonly string[], length: number) =>
  pumps.flatMap((pump) => ENDINGS.map((ending) => ({ pump, ending, text: buildText(pump, ending, length) })))

function timeAll(pattern: RegExp, texts: readonly { readonly text: string }[]): number {
  const start = readProcessTime()
  for (const { text } of texts) runPattern(pattern, text)
  return readProcessTime() - start
}

const buildText = (pump: string, ending: string, length: number): string =>
  `x${pump.repeat(Math.ceil(length / pump.length))}${ending}`

/** The processor time of this process in milliseconds, so that a loaded machine does not matter. */
function readProcessTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function time(pattern: RegExp, text: string): number {
  const start = readProcessTime()
  runPattern(pattern, text)
  return readProcessTime() - start
}

const timeBest = (pattern: RegExp, text: string): number =>
  Math.min(...Array.from({ length: 3 }, () => time(pattern, text)))

/** Finds all matches of a global pattern, as `replaceAll` and `split` do, and the first one of others. */
function runPattern(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0
  if (pattern.global) for (const _match of text.matchAll(pattern));
  else pattern.exec(text)
}
