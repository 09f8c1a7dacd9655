/** What other assistants and older versions of them call the same argument. */
export const FILE_NAMES = [
  'path',
  'file',
  'filename',
  'filepath',
  'absolute_path',
  'abs_path',
  'relative_path',
  'target_file',
  'notebook_path',
  'relative_workspace_path',
] as const;

export const FOLDER_NAMES = [
  'dir',
  'dir_path',
  'directory',
  'directory_path',
  'folder',
  'folder_path',
  'search_path',
  'search_directory',
  'target_directory',
  'target_directories',
  'relative_workspace_path',
] as const;

export const QUERY_NAMES = ['q', 'search', 'search_term', 'search_query', 'text'] as const;

export const OLD_TEXT_NAMES = [
  'old_str',
  'old_text',
  'old',
  'old_code',
  'search',
  'find',
  'original',
] as const;
export const NEW_TEXT_NAMES = ['new_str', 'new_text', 'new', 'new_code', 'replacement', 'replace'] as const;

export const SHELL_ID_NAMES = [
  'bash_id',
  'shell_id',
  'session_id',
  'task_id',
  'process_id',
  'terminal_id',
  'command_id',
  'pid',
] as const;
