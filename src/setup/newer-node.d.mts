export function findNewerNode(cacheFolder?: string): string | undefined
export function installNewerNode(vitestArguments: readonly string[]): Promise<void>
export function findAgentDevice(cacheFolder?: string): string | undefined
