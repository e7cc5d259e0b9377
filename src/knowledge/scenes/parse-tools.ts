import { z } from 'zod'
import { PackagePath, SceneName } from '@apprentice/contracts/scenes/manifest.ts'
import { type FileFinding, parseTomlFile, toFileFindings } from './text/toml-file.ts'

const MAX_TOOLS = 100

/** A tool of `SKILL.toml`. The script of a browser tool is its `command`. */
const SceneTool = z.object({
  name: SceneName,
  description: z.string().max(2000).default(''),
  kind: z.string().max(40),
  command: z.string().max(400),
})

const SceneTools = z.object({
  skill: z.object({
    name: SceneName,
    description: z.string().max(2000).default(''),
    version: z.string().max(80).optional(),
  }),
  tools: z.array(SceneTool).max(MAX_TOOLS),
})
export type SceneTools = z.infer<typeof SceneTools>

export function parseTools(
  text: string,
): { readonly tools: SceneTools } | { readonly problems: readonly FileFinding[] } {
  const document = parseTomlFile(text)
  if ('problem' in document) return { problems: [document.problem] }
  const read = SceneTools.safeParse(document.value)
  return read.success ? { tools: read.data } : { problems: toFileFindings(read.error) }
}

/** The script of the tool that a scene names, or why there is none. */
export function findToolScript(
  { skill, tools }: SceneTools,
  scene: { readonly skill: string; readonly tool: string },
): { readonly script: string } | { readonly problem: FileFinding } {
  if (skill.name !== scene.skill) {
    return { problem: { key: 'skill.name', reason: `is ${skill.name}, and scene.toml names the skill ${scene.skill}` } }
  }
  const at = tools.findIndex(({ name }) => name === scene.tool)
  const tool = tools[at]
  if (tool === undefined) {
    return { problem: { key: 'tools', reason: `has no tool ${scene.tool}, which scene.toml names` } }
  }
  if (tool.kind !== 'browser_script') {
    return { problem: { key: `tools.${at}.kind`, reason: `is ${tool.kind}, and a scene needs browser_script` } }
  }
  const script = PackagePath.safeParse(tool.command)
  if (script.success) return { script: script.data }
  return { problem: { key: `tools.${at}.command`, reason: 'must be a path inside the package' } }
}
