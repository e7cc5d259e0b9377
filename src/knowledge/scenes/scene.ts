import { hash } from 'node:crypto'
import type { SceneManifest, SceneParam } from '@apprentice/contracts/scenes/manifest.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { parseManifest } from './parse-manifest.ts'
import { findToolScript, parseTools } from './parse-tools.ts'
import type { NamedFile, OpenedConfig, PreparedResolver } from './resolvers/resolver.ts'
import { findResolverType, listResolverTypes } from './resolvers/resolver-types.ts'
import type { FileFinding } from './text/toml-file.ts'

/** Why a package is refused, or a warning about it. */
export interface PackageFinding extends FileFinding {
  /** The path of the file inside the package. */
  readonly file: string
}

/** A file of a package, or why it cannot be used, as the end of a sentence that starts with its path. */
export type PackageFile = { readonly text: string; readonly sha256: string } | { readonly problem: string }

/** The manifests of a package as they were read. */
export interface PackageTexts {
  readonly manifest: PackageFile
  readonly tools: PackageFile
}

export interface SceneParameter extends SceneParam {
  readonly resolve: PreparedResolver
  /** Parameters with the same key resolve to the same value. */
  readonly key: string
}

/** A scene that can be dispatched. */
export interface Scene {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly manifest: SceneManifest
  readonly params: readonly SceneParameter[]
  readonly script: string
  readonly script_sha256: string
  readonly warnings: readonly PackageFinding[]
  /** Changes with everything that a plan depends on. */
  readonly digest: string
}

/** A package whose manifests are valid, with the further files that it needs. */
export interface OpenedPackage {
  readonly manifest: SceneManifest
  readonly script: string
  readonly description: string
  readonly params: readonly { readonly param: SceneParam; readonly opened: OpenedConfig }[]
  readonly warnings: readonly PackageFinding[]
  readonly files: readonly string[]
  /** A folder that must exist. */
  readonly folder: string | undefined
}

type Problems = { readonly problems: readonly PackageFinding[] }

/** Checks the manifests of a package and names the files that have to be read. */
export function openPackage({ manifest, tools }: PackageTexts): OpenedPackage | Problems {
  if ('problem' in manifest) return { problems: [{ file: 'scene.toml', reason: manifest.problem }] }
  const parsed = parseManifest(manifest.text)
  if ('problems' in parsed) return { problems: inFile('scene.toml', parsed.problems) }
  if ('problem' in tools) return { problems: [{ file: 'SKILL.toml', reason: tools.problem }] }
  const parsedTools = parseTools(tools.text)
  if ('problems' in parsedTools) return { problems: inFile('SKILL.toml', parsedTools.problems) }
  const found = findToolScript(parsedTools.tools, parsed.manifest.scene)
  if ('problem' in found) return { problems: inFile('SKILL.toml', [found.problem]) }
  const params = parsed.manifest.params.map((param, at) => ({ param, ...openParam(param, at) }))
  const problems = params.flatMap((one) => ('problems' in one ? one.problems : []))
  if (problems.length > 0) return { problems: inFile('scene.toml', problems) }
  const opened = params.flatMap((one) => ('opened' in one ? [{ param: one.param, opened: one.opened }] : []))
  const warnings = [...parsed.warnings, ...params.flatMap((one) => ('warnings' in one ? one.warnings : []))]
  return {
    manifest: parsed.manifest,
    script: found.script,
    description: describeScene(parsedTools.tools, parsed.manifest),
    params: opened,
    warnings: inFile('scene.toml', warnings),
    files: [...new Set([found.script, ...opened.flatMap(({ opened: { files } }) => files.map(({ path }) => path))])],
    folder: parsed.manifest.bootstrap.stand_in,
  }
}

/** Makes a scene of an opened package and the files it named. */
export function prepareScene(
  opened: OpenedPackage,
  files: ReadonlyMap<string, PackageFile>,
): { readonly scene: Scene } | Problems {
  const { manifest, script } = opened
  const missing = findFileProblems(opened, files)
  if (missing.length > 0) return { problems: missing }
  const texts = new Map([...files].map(([path, file]) => [path, 'text' in file ? file.text : '']))
  const digests = new Map([...files].map(([path, file]) => [path, 'sha256' in file ? file.sha256 : '']))
  const params: SceneParameter[] = []
  for (const [at, { param, opened: config }] of opened.params.entries()) {
    const resolve = config.prepare(param.name, texts)
    if ('problem' in resolve) return { problems: inFile('scene.toml', [inParam(at, resolve.problem)]) }
    const contents = config.files.map(({ path }) => digests.get(path))
    params.push({
      ...param,
      resolve,
      key: canonicalJson([param.name, param.resolver, param.resolver_config, contents]),
    })
  }
  const clash = findArgClash(params)
  if (clash !== undefined) return { problems: inFile('scene.toml', [clash]) }
  const script_sha256 = digests.get(script) ?? ''
  const { id, title = id } = manifest.scene
  return {
    scene: {
      id,
      title,
      description: opened.description,
      manifest,
      params,
      script,
      script_sha256,
      warnings: opened.warnings,
      digest: hash('sha256', canonicalJson([manifest, script, Object.fromEntries(digests)]), 'hex'),
    },
  }
}

function openParam(param: SceneParam, at: number) {
  const type = findResolverType(param.resolver)
  if (type === undefined) {
    const reason = `is ${param.resolver}, and the resolvers are ${listResolverTypes().join(', ')}`
    return { problems: [{ key: `params.${at}.resolver`, reason }] }
  }
  const opened = type.open(param.resolver_config)
  if ('problems' in opened) return { problems: opened.problems.map((problem) => inParam(at, problem)) }
  return { opened, warnings: opened.warnings.map((warning) => inParam(at, warning)) }
}

function findFileProblems(
  { script, params }: OpenedPackage,
  files: ReadonlyMap<string, PackageFile>,
): PackageFinding[] {
  const named: NamedFile[] = params.flatMap(({ opened }, at) =>
    opened.files.map(({ key, path }) => ({ key: `params.${at}.resolver_config.${key}`, path })),
  )
  const inManifest = named.flatMap(({ key, path }) => {
    const problem = readProblem(files.get(path))
    return problem === undefined ? [] : [{ file: 'scene.toml', key, reason: `names ${path}, which ${problem}` }]
  })
  const problem = readProblem(files.get(script))
  if (problem === undefined) return inManifest
  return [{ file: 'SKILL.toml', key: 'tools.command', reason: `names ${script}, which ${problem}` }, ...inManifest]
}

const readProblem = (file: PackageFile | undefined): string | undefined =>
  file === undefined ? 'was not read' : 'problem' in file ? file.problem : undefined

/** The arguments of the script come from all parameters, and each has one. */
function findArgClash(params: readonly SceneParameter[]): FileFinding | undefined {
  const owners = new Map<string, string>()
  for (const [at, { name, resolve }] of params.entries()) {
    for (const arg of resolve.arg_names) {
      const owner = owners.get(arg)
      if (owner !== undefined)
        return inParam(at, { reason: `sets the argument ${arg}, which ${owner} sets too` }, false)
      owners.set(arg, name)
    }
  }
  return undefined
}

function inParam(at: number, { key, reason }: FileFinding, inConfig = true): FileFinding {
  const base = inConfig ? `params.${at}.resolver_config` : `params.${at}`
  return { key: key === undefined ? base : `${base}.${key}`, reason }
}

const inFile = (file: string, findings: readonly FileFinding[]): PackageFinding[] =>
  findings.map((finding) => ({ file, ...finding }))

type Tools = {
  readonly skill: { readonly description: string }
  readonly tools: readonly { name: string; description: string }[]
}

const describeScene = ({ skill, tools }: Tools, { scene }: SceneManifest): string =>
  (tools.find(({ name }) => name === scene.tool)?.description ?? '') || skill.description
