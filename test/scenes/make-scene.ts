import { SceneCatalog, type ReadPackage } from '../../src/knowledge/scenes/catalog.ts'
import { openPackage, prepareScene } from '../../src/knowledge/scenes/scene.ts'

export interface SceneOptions {
  readonly id?: string
  readonly domain?: string
  readonly path?: string
  readonly suffix?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly titles?: readonly string[]
  /** The tables of the parameters, as TOML. */
  readonly params?: string
  readonly version?: string
  readonly root?: string
  readonly folder?: string
}

export const PERIOD_PARAM = `
[[params]]
name = "period"
resolver = "month_week_period"
prompt_missing = "Which month?"
prompt_ambiguous = "Which month exactly?"
`

export const ORG_PARAM = `
[[params]]
name = "org"
resolver = "dictionary_entity"
prompt_missing = "Which company?"
prompt_ambiguous = "Which company exactly?"
resolver_config = { dictionary_ref = "references/orgs.json", output_label_field = "org_label", output_code_field = "org_code" }
`

const ORGS = {
  entries: [
    { label: '兰州公司', code: '62401', aliases: ['兰州'] },
    { label: '天水公司', code: '62404', aliases: ['天水'] },
  ],
}

export function writeSceneToml(options: SceneOptions = {}): string {
  const { id = 'report', domain = `${id}.test`, path = '/report', suffix, version = '1.0.0' } = options
  const { include = ['线损'], exclude = [], titles = [], params = ORG_PARAM + PERIOD_PARAM } = options
  const list = (texts: readonly string[]) => JSON.stringify(texts)
  return `
[manifest]
schema_version = "1"
[scene]
id = "${id}"
skill = "${id}"
tool = "collect"
kind = "browser_script"
version = "${version}"
category = "report_collection"
[bootstrap]
expected_domain = "${domain}"
target_url = "http://${domain}:8080${path}"
page_title_keywords = ${list(titles)}
[deterministic]
${suffix === undefined ? '' : `suffix = "${suffix}"`}
include_keywords = ${list(include)}
exclude_keywords = ${list(exclude)}
${params}
[artifact]
type = "report-artifact"
[postprocess]
exporter = "xlsx_report"
`
}

export const writeToolsToml = (id = 'report'): string => `
[skill]
name = "${id}"
description = "Report ${id}"
[[tools]]
name = "collect"
kind = "browser_script"
command = "scripts/collect.js"
`

/** The files of a package by their paths. */
export const writePackage = (options: SceneOptions = {}): Record<string, string> => ({
  'scene.toml': writeSceneToml(options),
  'SKILL.toml': writeToolsToml(options.id),
  'scripts/collect.js': 'async function collect(args) { return {} }\n',
  'references/orgs.json': JSON.stringify(ORGS),
})

/** `changes` are files that replace those of the options. */
export function makePackage(options: SceneOptions = {}, changes: Readonly<Record<string, string>> = {}): ReadPackage {
  const { id = 'report', root = '/root', folder = id } = options
  const texts: Readonly<Record<string, string>> = { ...writePackage(options), ...changes }
  const file = (path: string) => {
    const text = texts[path]
    return text === undefined ? { problem: 'does not exist' } : { text, sha256: 'a'.repeat(64) }
  }
  const opened = openPackage({ manifest: file('scene.toml'), tools: file('SKILL.toml') })
  const base = { root, folder, declared_id: id }
  if ('problems' in opened) return { ...base, result: opened }
  return { ...base, result: prepareScene(opened, new Map(opened.files.map((path) => [path, file(path)]))) }
}

export const makeCatalog = (...scenes: readonly SceneOptions[]): SceneCatalog =>
  new SceneCatalog(scenes.map((one) => makePackage(one)))
