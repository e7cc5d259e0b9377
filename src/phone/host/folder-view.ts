import { joinPath, type FileTree } from './file-tree.ts'

/** The files as seen from a folder: relative paths begin there. */
export function createFolderView(files: FileTree, folder: string): FileTree {
  if (folder === '/') return files
  const at = (path: string): string => joinPath(folder, path)
  return {
    stat: (path) => files.stat(at(path)),
    list: (path) => files.list(at(path)),
    read: (path) => files.read(at(path)),
    write: (path, data, stat) => files.write(at(path), data, stat),
    save: (path, data) => files.save(at(path), data),
    append: (path, data) => files.append(at(path), data),
    makeFolder: (path, withParents) => files.makeFolder(at(path), withParents),
    move: (from, to) => files.move(at(from), at(to)),
    change: (path, change) => files.change(at(path), change),
    remove: (path) => files.remove(at(path)),
    isFolder: (path) => files.isFolder(at(path)),
  }
}
