import { type FindingCode, FINDING_FACTS } from '@apprentice/contracts/skills/import-findings.ts'
import type { SkillCompatibilityFinding } from '@apprentice/contracts/skills/import-record.ts'
import { toOneLine } from '../text/plain-text.ts'

const MAX_FINDINGS = 400
const MAX_PER_CODE = 20

export interface FindingDetails {
  readonly path?: string | undefined
  /** From 1. */
  readonly line?: number | undefined
  /** Appended to the message of the table. */
  readonly note?: string | undefined
  /** Replaces the severity of the table. */
  readonly severity?: 'warning' | 'error' | undefined
  readonly collision?: boolean | undefined
}

/** Collects the findings of a scan. */
export class Findings {
  readonly #list: SkillCompatibilityFinding[] = []
  readonly #counts = new Map<FindingCode, number>()
  #truncated = false
  fatal: FindingCode | undefined
  requires_adapter = false
  collision = false

  add(code: FindingCode, { path, line, note, severity, collision = false }: FindingDetails = {}): void {
    const facts = FINDING_FACTS[code]
    if (facts.effect === 'fatal') this.fatal ??= code
    if (facts.adapter === true) this.requires_adapter = true
    if (facts.collision === true || collision) this.collision = true
    const count = (this.#counts.get(code) ?? 0) + 1
    this.#counts.set(code, count)
    if (count > MAX_PER_CODE || this.#list.length >= MAX_FINDINGS) {
      this.#truncated = true
      return
    }
    this.#list.push({
      code,
      severity: severity ?? (facts.effect === 'fatal' ? 'error' : facts.effect),
      message: note === undefined ? facts.message : `${facts.message} ${toOneLine(note, 400)}`,
      ...(path === undefined ? {} : { path_hint: toOneLine(path, 240) }),
      ...(line === undefined ? {} : { line }),
    })
  }

  has(code: FindingCode): boolean {
    return this.#counts.has(code)
  }

  get compatible(): boolean {
    return this.#list.every(({ severity }) => severity !== 'error')
  }

  /** Ordered by severity, then in the order of the scan. */
  get list(): SkillCompatibilityFinding[] {
    const all = this.#truncated
      ? [
          ...this.#list,
          {
            code: 'FINDINGS_CUT',
            severity: 'info',
            message: FINDING_FACTS.FINDINGS_CUT.message,
          } as const,
        ]
      : this.#list
    return all.toSorted((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity))
  }
}

/** The number of the line, from 1, that contains a position of a text. */
export function countLines(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

const SEVERITY_ORDER = ['error', 'warning', 'info']
