import type { SceneEvidence, SceneUncertainty } from '@apprentice/contracts/scenes/analysis.ts'

/** A file of the folder of a scenario. Its text is absent if it is too large or of a kind that is not read. */
export interface ScenarioFile {
  readonly path: string
  readonly bytes: number
  readonly text?: string | undefined
  /** It is no text in UTF-8, and no page says in which encoding it is. */
  readonly is_undecoded?: boolean
}

/** Bounds of what is read. What exceeds them is recorded as an uncertainty. */
export const SCENARIO_LIMITS = {
  files: 500,
  file_bytes: 1 << 20,
  total_bytes: 3 << 20,
  depth: 12,
  nodes: 200_000,
  requests: 100,
  tables: 50,
  columns: 200,
  entries: 5000,
  entries_together: 10_000,
  uncertainties: 100,
} as const

const MAX_EVIDENCE_TEXT = 160

export function toEvidence(file: string, line: number, text: string): SceneEvidence {
  const [first = ''] = text.trim().split('\n', 1)
  return { file, line: Math.max(1, line), text: first.trim().slice(0, MAX_EVIDENCE_TEXT) }
}

/** Collects what is left open, each once, up to a bound. */
export class Uncertainties {
  readonly #found = new Map<string, SceneUncertainty>()

  add(
    code: SceneUncertainty['code'],
    message: string,
    { evidence = [], answer }: { evidence?: readonly SceneEvidence[]; answer?: string | undefined } = {},
  ): void {
    const key = JSON.stringify([code, message, evidence[0]?.file, evidence[0]?.line])
    if (this.#found.size >= SCENARIO_LIMITS.uncertainties && !this.#found.has(key)) return
    this.#found.set(key, {
      code,
      message: message.slice(0, 400),
      ...(answer === undefined ? {} : { answer }),
      evidence: evidence.slice(0, 10),
    })
  }

  list(): SceneUncertainty[] {
    return [...this.#found.values()]
  }
}

export type ScenarioFileKind = 'page' | 'script' | 'data' | 'other'

export function toFileKind(path: string): ScenarioFileKind {
  const name = path.toLowerCase()
  if (['.html', '.htm', '.xhtml'].some((end) => name.endsWith(end))) return 'page'
  if (['.js', '.mjs', '.cjs'].some((end) => name.endsWith(end))) return 'script'
  return name.endsWith('.json') ? 'data' : 'other'
}

/** The path that a reference of a page or script names, relative to the folder; undefined if it leads elsewhere. */
export function resolveReference(from: string, reference: string): string | undefined {
  const base = new URL(from.split('/').map(encodeURIComponent).join('/'), 'folder://scenario/').href
  if (!URL.canParse(reference, base)) return undefined
  const { protocol, host, pathname } = new URL(reference, base)
  if (protocol !== 'folder:' || host !== 'scenario') return undefined
  return decodePath(pathname).replace(/^\/+/, '')
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
