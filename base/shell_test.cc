#include "base/shell.h"

#include <cstdio>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(ShellTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellLine({"env", "NCCL_IB_HCA=^mlx5_0,mlx5_1", "/a/b-c_d.e"}),
            "env NCCL_IB_HCA=^mlx5_0,mlx5_1 /a/b-c_d.e");
  EXPECT_EQ(ShellLine({}), "");
}

TEST(ShellTest, AShellReadsEveryWordBack) {
  for (const std::string& word :
       {std::string(), std::string("a b"), std::string("it's"),
        std::string("$HOME `id` $(id)"), std::string("*?[a]{b}~"),
        std::string("\\\"#!;&|<>\n\tx"), std::string("^x"),
        std::string("=-:,@%+")}) {
    const std::string command = "printf '%s|' " + ShellQuoted(word);
    FILE* const shell = ::popen(command.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string read;
    for (int byte = 0; (byte = std::fgetc(shell)) != EOF;) {
      read += static_cast<char>(byte);
    }
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_EQ(read, word + "|");
  }
}

}  // namespace
}  // namespace zs
