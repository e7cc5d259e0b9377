import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

export interface AgentChoice {
  readonly cli: string
  readonly cliPath?: string | undefined
}

/** Finds the program of an agent: at its configured path, otherwise in the search path. */
export async function findAgentProgram(
  { cli, cliPath }: AgentChoice,
  { folder, searchPath }: { readonly folder: string; readonly searchPath: string },
): Promise<string | undefined> {
  if (cliPath !== undefined) {
    const path = isAbsolute(cliPath) ? cliPath : resolve(folder, cliPath)
    return (await canRun(path)) ? path : undefined
  }
  for (const directory of searchPath.split(delimiter).filter((one) => one !== '')) {
    const path = join(directory, cli)
    if (await canRun(path)) return path
  }
  return undefined
}

/** A .js file is run by Node, so it need not be executable. */
async function canRun(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false
    await access(path, path.endsWith('.js') ? constants.R_OK : constants.X_OK)
    return true
  } catch {
    return false
  }
}
