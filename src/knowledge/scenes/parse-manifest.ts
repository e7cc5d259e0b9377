import {
  SCENE_SCHEMA_VERSIONS,
  SceneArtifact,
  SceneBootstrap,
  SceneHeader,
  SceneManifest,
  SceneParam,
  ScenePostprocess,
  SceneRouting,
} from '@apprentice/contracts/scenes/manifest.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { type FileFinding, parseTomlFile, toFileFindings } from './text/toml-file.ts'

export interface ParsedManifest {
  readonly manifest: SceneManifest
  readonly warnings: readonly FileFinding[]
}

/** The tables of a manifest and their known keys. */
const KNOWN_KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  manifest: new Set(['schema_version']),
  scene: new Set(Object.keys(SceneHeader.shape)),
  bootstrap: new Set(Object.keys(SceneBootstrap.shape)),
  deterministic: new Set(Object.keys(SceneRouting.shape)),
  params: new Set(Object.keys(SceneParam.shape)),
  artifact: new Set(Object.keys(SceneArtifact.shape)),
  postprocess: new Set(Object.keys(ScenePostprocess.shape)),
}

/** Parses `scene.toml`. The version of the format is checked first, because it decides what the other keys mean. */
export function parseManifest(text: string): ParsedManifest | { readonly problems: readonly FileFinding[] } {
  const document = parseTomlFile(text)
  if ('problem' in document) return { problems: [document.problem] }
  const version = findVersionProblem(document.value)
  if (version !== undefined) return { problems: [version] }
  const read = SceneManifest.safeParse(document.value)
  if (!read.success) return { problems: toFileFindings(read.error) }
  const problems = listRuleProblems(read.data)
  if (problems.length > 0) return { problems }
  return { manifest: read.data, warnings: listUnknownKeys(document.value) }
}

/** The id that a manifest declares, also if the manifest is refused for another reason. */
export function readDeclaredId(text: string): string | undefined {
  const document = parseTomlFile(text)
  if ('problem' in document || !isRecord(document.value['scene'])) return undefined
  const { success, data } = SceneHeader.shape.id.safeParse(document.value['scene']['id'])
  return success ? data : undefined
}

function findVersionProblem({ manifest }: Readonly<Record<string, unknown>>): FileFinding | undefined {
  const key = 'manifest.schema_version'
  const version = isRecord(manifest) ? manifest['schema_version'] : undefined
  if (version === undefined) return { key, reason: 'is missing' }
  if (SCENE_SCHEMA_VERSIONS.some((known) => known === version)) return undefined
  const given = JSON.stringify(version).slice(0, 60)
  return {
    key,
    reason: `is ${given}, and this daemon reads ${SCENE_SCHEMA_VERSIONS.map((one) => `"${one}"`).join(', ')}`,
  }
}

/** The rules that concern several keys. */
function listRuleProblems({ bootstrap, params, artifact }: SceneManifest): FileFinding[] {
  const problems: FileFinding[] = []
  const host = new URL(bootstrap.target_url).hostname
  if (toHost(bootstrap.expected_domain) !== host) {
    const reason = `has the host ${host}, which is not expected_domain (${bootstrap.expected_domain})`
    problems.push({ key: 'bootstrap.target_url', reason })
  }
  params.forEach(({ name }, at) => {
    if (params.findIndex((param) => param.name === name) === at) return
    problems.push({ key: `params.${at}.name`, reason: `is ${name}, which an earlier parameter has` })
  })
  const both = artifact.success_status.find((status) => artifact.failure_status.includes(status))
  if (both !== undefined) {
    problems.push({ key: 'artifact.failure_status', reason: `contains ${both}, which success_status contains too` })
  }
  return problems
}

/** A host in the form in which addresses have it. */
export function toHost(domain: string): string | undefined {
  const address = `http://${domain}/`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

function listUnknownKeys(document: Readonly<Record<string, unknown>>): FileFinding[] {
  const reason = 'is unknown and was ignored'
  return Object.entries(document).flatMap(([table, content]) => {
    const known = KNOWN_KEYS[table]
    if (known === undefined) return [{ key: table, reason }]
    const rows = Array.isArray(content)
      ? content.map((row, at) => ({ row, path: `${table}.${at}` }))
      : [{ row: content, path: table }]
    return rows.flatMap(({ row, path }) =>
      Object.keys(isRecord(row) ? row : {})
        .filter((key) => !known.has(key))
        .map((key) => ({ key: `${path}.${key}`, reason })),
    )
  })
}
