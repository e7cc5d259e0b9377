import type { Command } from 'commander'
import { dispatchScene } from '@apprentice/contracts/scenes/dispatch.ts'
import { getScene, listScenes, type SceneEntry, type SceneRefusal } from '@apprentice/contracts/scenes/scenes.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { formatTable } from '../terminal/table.ts'
import { addGenerateScenes } from './generate.ts'
import { formatDispatch } from './format-dispatch.ts'
import { addPageOptions, type PageOptions, readPageOptions } from './page-options.ts'
import { addSceneLoginCommands } from './scene-login.ts'
import { addSceneRunCommand } from './scene-run.ts'

type PlanOptions = ConnectionOptions & PageOptions

export function addScenesCommand(program: Command): void {
  const scenes = program.command('scenes').description('reports that scripts collect in a browser')
  withConnection(scenes.command('list').description('list the registered scenes and the refused packages')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(scenes.command('show <sceneId>').description('show a scene: keywords, parameters, page')).action(
    (sceneId: string, options: ConnectionOptions) => reportFailures(() => show(sceneId, options)),
  )
  const planning = scenes
    .command('plan <instruction>')
    .description('show what an instruction would run; nothing is run. Exit code 1 if it is no plan')
  withConnection(addPageOptions(planning)).action((instruction: string, options: PlanOptions) =>
    reportFailures(() => plan(instruction, options)),
  )
  addGenerateScenes(scenes)
  addSceneRunCommand(scenes)
  addSceneLoginCommands(scenes)
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listScenes)
  printResult(options, listed, () => {
    const rows = listed.scenes.map(({ scene_id, version, title, expected_domain }) => [
      scene_id,
      version,
      title,
      expected_domain,
    ])
    const table =
      rows.length === 0 ? 'No scene is registered.' : formatTable([['SCENE', 'VERSION', 'TITLE', 'PAGE'], ...rows])
    return [table, ...formatRefusals(listed.refusals)].join('\n')
  })
}

function formatRefusals(refusals: readonly SceneRefusal[]): string[] {
  if (refusals.length === 0) return []
  return ['', 'Refused:', ...refusals.map(formatRefusal)]
}

const formatRefusal = ({ root, manifest, file, key = '', reason }: SceneRefusal): string =>
  `  ${manifest} in ${root}\n    ${file}: ${key} ${reason}`.replace(':  ', ': ')

async function show(sceneId: string, options: ConnectionOptions): Promise<void> {
  const found = await connect(options)(getScene, { params: { sceneId } })
  printResult(options, found, () => formatScene(found.scene, found.manifest.bootstrap.target_url))
}

function formatScene(scene: SceneEntry, targetUrl: string): string {
  const { scene_id, version, title, description, include_keywords, suffix, params, warnings } = scene
  return [
    `${scene_id} ${version}: ${title}`,
    ...(description === '' ? [] : [description]),
    `page      ${targetUrl}`,
    `keywords  ${include_keywords.join(', ')}`,
    `suffix    ${suffix}`,
    ...params.map(({ name, required, resolver, examples }) => {
      const example = examples.length === 0 ? '' : `, such as ${examples.join(', ')}`
      return `${required ? 'needs' : 'takes'}     ${name} (${resolver}${example})`
    }),
    `ability   ${scene.ability_id}`,
    `package   ${scene.manifest} in ${scene.root}`,
    ...warnings.map(({ file, key = '', reason }) => `warning   ${file}: ${key} ${reason}`),
  ].join('\n')
}

async function plan(instruction: string, options: PlanOptions): Promise<void> {
  const body = { instruction, ...readPageOptions(options) }
  const reply = await connect(options)(dispatchScene, { body })
  printResult(options, reply, () => formatDispatch(reply.dispatch))
  if (reply.dispatch.outcome !== 'plan') process.exitCode = EXIT_CODES.failure
}
