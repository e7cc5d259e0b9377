import { type FindingCode, findingFacts } from '@apprentice/contracts/skills/import-findings.ts'
import type { SkillCompatibilityFinding } from '@apprentice/contracts/skills/import-record.ts'
import { oneLine } from '../text/plain-text.ts'

const mostFindings = 400
const mostOfOneCode = 20

export interface Particulars {
  readonly path?: string | undefined
  /** What is said beside the words of the table. */
  readonly note?: string | undefined
  /** For a code whose weight depends on the case. */
  readonly severity?: 'warning' | 'error' | undefined
  readonly collision?: boolean | undefined
}

/** What a scan found so far, and what that means for the bundle. */
export class Findings {
  readonly #list: SkillCompatibilityFinding[] = []
  readonly #counts = new Map<FindingCode, number>()
  #cut = false
  fatal: FindingCode | undefined
  requires_adapter = false
  collision = false

  add(code: FindingCode, { path, note, severity, collision = false }: Particulars = {}): void {
    const facts = findingFacts[code]
    if (facts.effect === 'fatal') this.fatal ??= code
    if (facts.adapter === true) this.requires_adapter = true
    if (facts.collision === true || collision) this.collision = true
    const count = (this.#counts.get(code) ?? 0) + 1
    this.#counts.set(code, count)
    if (count > mostOfOneCode || this.#list.length >= mostFindings) {
      this.#cut = true
      return
    }
    this.#list.push({
      code,
      severity: severity ?? (facts.effect === 'fatal' ? 'error' : facts.effect),
      message: note === undefined ? facts.message : `${facts.message} ${oneLine(note, 400)}`,
      ...(path === undefined ? {} : { path_hint: oneLine(path, 240) }),
    })
  }

  has(code: FindingCode): boolean {
    return this.#counts.has(code)
  }

  get compatible(): boolean {
    return this.#list.every(({ severity }) => severity !== 'error')
  }

  /** The gravest first; of one gravity in the order they were found. */
  get list(): SkillCompatibilityFinding[] {
    const all = this.#cut
      ? [...this.#list, { code: 'FINDINGS_CUT', severity: 'info', message: cutMessage } as const]
      : this.#list
    return all.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  }
}

const order = ['error', 'warning', 'info']
const cutMessage = findingFacts.FINDINGS_CUT.message
